#include "search/plan/plan_answer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "search/candidate_run.h"
#include "search/plan/plan_writer.h"

namespace opledger {
namespace {

/// Returns the parameters of the model that the question changes, because the model's name alone would mislead.
std::string changed_sizes(const PlanQuestion& question, const Run& run) {
  std::vector<std::string> out;
  for (const auto& [key, value] : question.overrides) {
    if (run.program().model->names.count(key) != 0) out.push_back(key + " " + value);
  }
  return join(out, ", ");
}

/// Writes the lines of an answer with a chosen candidate. Returns false, with errors, if a text can't be evaluated.
bool describe(const PlanQuestion& question, PlanAnswer& answer, Library& library, Diagnostics& diagnostics) {
  const Datum& plan = question.plan->root;
  const PlanSearch& search = *answer.chosen->search;
  answer.run = run_of(search.request, search.answer, answer.chosen->candidate, library, diagnostics);
  if (answer.run == nullptr) return false;
  answer.sizes = changed_sizes(question, *answer.run);
  PlanWriter writer(*answer.run, diagnostics);
  const std::optional<std::string> heading = writer.text(*plan.find("heading"));
  if (!heading) return false;
  answer.heading = *heading;
  for (const auto& [label, parts] : plan.find("lines")->entries()) {
    std::optional<PlanLine> line = writer.line(label.text(), parts);
    if (!line) return false;
    if (!line->parts.empty()) answer.lines.push_back(std::move(*line));
  }
  if (const Datum* script = plan.find("script")) {
    const std::optional<std::string> text = writer.text(*script);
    if (!text) return false;
    answer.script = *text;
  }
  const Datum* const completions = plan.find("completions");
  for (const auto& [format, lines] : completions != nullptr ? completions->entries() : std::vector<Datum::Entry>{}) {
    for (const Datum& item : lines.items()) {
      const std::optional<std::string> text = writer.text(item);
      if (!text) return false;
      answer.completions[format.text()] += *text + "\n";
    }
  }
  if (const Datum* explained = plan.find("explained")) {
    const std::optional<Value> value = writer.value(*explained);
    if (!value) return false;
    if (value->text != nullptr) answer.explained = *value->text;
  }
  if (const Datum* kind = plan.find("kind_of_run")) {
    const std::optional<Value> value = writer.value(*kind);
    if (!value) return false;
    if (value->text != nullptr) answer.kind = *value->text;
  }
  return true;
}

/// Chooses a candidate that is not refused. If a better one is refused, the answer describes it, too, with the plan's
/// lines that `faster` names, because it may be worth another framework. Returns false, with errors, if a text can't be
/// evaluated.
bool choose(const PlanQuestion& question, Refusal refusal, PlanAnswer& answer, Library& library, Diagnostics& diagnostics) {
  const PlanCandidate best = answer.searches->chosen();
  answer.chosen = best;
  answer.refusal = refusal(best);
  if (answer.refusal.empty()) return true;
  const std::optional<PlanCandidate> startable = answer.searches->chosen([&](const PlanCandidate& candidate) { return refusal(candidate).empty(); });
  if (!startable) return true;
  const std::string reason = std::exchange(answer.refusal, "");
  answer.chosen = *startable;
  const double gain = -PlanSearches::loss(*startable, best);
  if (gain <= 0) return true;
  const std::unique_ptr<Run> run = run_of(best.search->request, best.search->answer, best.candidate, library, diagnostics);
  if (run == nullptr) return false;
  answer.refused = best;
  answer.faster.push_back({fmt::format("gains {:.1f} %", 100 * gain), false});
  PlanWriter writer(*run, diagnostics);
  for (const std::string& label : question.plan->root.texts("faster")) {
    const std::optional<PlanLine> line = writer.line(label, *question.plan->root.find("lines")->find(label));
    if (!line) return false;
    answer.faster.insert(answer.faster.end(), line->parts.begin(), line->parts.end());
  }
  answer.faster.push_back({fmt::format("but {} can't start it: {}", run->stack_name(), reason), false});
  return true;
}

/// Answers changed questions: cures of a question without an answer, and variants of an answered one. Each change runs
/// the searches again, as a trial.
class ChangedQuestions {
 public:
  ChangedQuestions(const PlanQuestion& question, PlanLimits limits, Library& library) : question_(question), limits_(limits), library_(library) {}

  /// Returns the advice of each cure whose changed question has a feasible candidate.
  std::vector<std::string> cures(Diagnostics& diagnostics) {
    std::vector<std::string> out;
    const Datum* const cures = question_.plan->root.find("cures");
    for (const Datum& cure : cures != nullptr ? cures->items() : std::vector<Datum>{}) {
      if (const std::optional<std::string> advice = this->advice(cure, diagnostics)) out.push_back(*advice);
    }
    return out;
  }

  /// Returns the line that compares the chosen candidate with other words of an option, each with its best run or, if
  /// none is feasible, with the text `otherwise`. The word of the chosen candidate is left out: the condition `chosen`
  /// holds in its run.
  std::optional<PlanLine> variants(const Datum& variants, const PlanCandidate& chosen, Run& run, Diagnostics& diagnostics) {
    PlanLine out{variants.find("label")->text(), {}};
    for (const auto& [word, condition] : variants.find("words")->entries()) {
      const std::optional<Value> is_chosen = PlanWriter(run, diagnostics).value(condition);
      if (!is_chosen) return std::nullopt;
      if (as_truth(*is_chosen).scalar.value != 0) continue;
      PlanQuestion changed = question_;
      changed.texts[variants.find("option")->text()] = word.text();
      std::optional<std::string> text = tried(changed, variants, diagnostics, &chosen);
      if (!text) text = tried(changed, *variants.find("otherwise"), diagnostics);
      if (text) out.parts.push_back({word.text() + " " + *text, false});
    }
    return out;
  }

 private:
  /// Returns the advice of one cure; nothing if it does not help. With `easing`, the last value is tried first, because
  /// the others have no answer without it.
  std::optional<std::string> advice(const Datum& cure, Diagnostics& diagnostics) {
    PlanQuestion changed = question_;
    for (const std::string& system : cure.texts("systems")) {
      if (system == question_.system) continue;
      changed.system = system;
      if (const std::optional<std::string> advice = tried(changed, cure, diagnostics)) return fmt::format("--system {}: {}", system, *advice);
    }
    if (cure.find("systems") != nullptr) return std::nullopt;
    if (cure.find("option") == nullptr) return tried(changed, cure, diagnostics);
    const std::string& option = cure.find("option")->text();
    const Datum* const values = cure.find("values");
    if (values == nullptr) {
      if (changed.texts.erase(option) == 0) return std::nullopt;
      return tried(changed, cure, diagnostics);
    }
    std::vector<std::string> texts = values_of(*values, option);
    const auto answer = [&](const std::string& text) {
      changed.texts[option] = text;
      return tried(changed, cure, diagnostics);
    };
    std::optional<std::string> last;
    if (const Datum* easing = cure.find("easing"); easing != nullptr && easing->boolean().value_or(false) && !texts.empty()) {
      last = answer(texts.back());
      if (!last) return std::nullopt;
      texts.pop_back();
    }
    for (const std::string& text : texts) {
      if (std::optional<std::string> advice = answer(text)) return advice;
    }
    return last;
  }

  /// Returns the values of a cure for an option, as users write them. Formulas without a positive number are left out.
  std::vector<std::string> values_of(const Datum& formulas, const std::string& option) {
    Diagnostics ignored;
    std::optional<PlanValues> now = PlanValues::read(question_, library_, ignored);
    std::vector<std::string> out;
    for (const Datum& formula : formulas.items()) {
      const std::optional<Value> value = now ? now->value(formula, ignored, option) : std::nullopt;
      if (value && value->is_number() && value->scalar.value >= 1) out.push_back(as_written(*value));
    }
    return out;
  }

  /// Runs the searches of a changed question, with the settings `set` of the entry. Returns the text `say` with the
  /// values of the best run, or of the run with the least `minimize`; nothing if no candidate is feasible. With `widened`,
  /// the run is that of the plan of the changed question. With `compared`, the text begins with the change of the
  /// objective, and the run is the simplest good one. Errors of the changed question only mean that it has no answer.
  std::optional<std::string> tried(PlanQuestion changed, const Datum& cure, Diagnostics& diagnostics, const PlanCandidate* compared = nullptr) {
    Diagnostics ignored;
    const Datum* const set = cure.find("set");
    for (const auto& [input, value] : set != nullptr ? set->entries() : std::vector<Datum::Entry>{}) changed.overrides.emplace_back(input.text(), value.text());
    std::optional<PlanValues> values = PlanValues::read(changed, library_, ignored);
    PlanSearches searches(changed, limits_, library_);
    using Extent = PlanSearches::Extent;
    const Datum* const metric = cure.find("minimize");
    const Datum* const widened = cure.find("widened");
    const bool is_widened = widened != nullptr && widened->boolean().value_or(false);
    const Extent extent = is_widened ? Extent::until_found : Extent::until_found_unwidened;
    if (!values || !searches.run(*values, ignored, extent, metric != nullptr ? metric->text() : "") || !searches.best()) return std::nullopt;
    PlanCandidate best = *searches.best();
    if (metric != nullptr) {
      if (best.search->answer.front.empty()) return std::nullopt;
      best.candidate = best.search->answer.front.front();
    } else if (compared != nullptr || is_widened) {
      best = searches.chosen();
    }
    const std::unique_ptr<Run> run = run_of(best.search->request, best.search->answer, best.candidate, library_, diagnostics);
    const std::optional<std::string> text = run == nullptr ? std::nullopt : PlanWriter(*run, diagnostics).text(*cure.find("say"));
    if (!text || compared == nullptr) return text;
    const double loss = 100 * PlanSearches::loss(*compared, best);
    return fmt::format("{} {:.1f} %, {}", loss < 0 ? "gains" : "loses", std::fabs(loss), *text);
  }

  const PlanQuestion& question_;
  const PlanLimits limits_;
  Library& library_;
};

/// Returns the most frequent reasons of infeasible candidates of the first search, with their shares.
std::vector<std::string> reasons_of(const PlanSearches& searches) {
  constexpr std::size_t kReasons = 3;
  std::vector<std::string> out = searches.empty_spaces();
  if (searches.all().empty()) return out;
  const SweepResult& result = searches.all().front().answer.result;
  std::vector<std::pair<std::string, std::uint64_t>> sorted(result.infeasible.begin(), result.infeasible.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [reason, count] : sorted) {
    if (out.size() < kReasons) out.push_back(fmt::format("{} ({:.0f} %)", reason, 100 * static_cast<double>(count) / static_cast<double>(result.candidates)));
  }
  return out;
}

}  // namespace

std::optional<PlanAnswer> make_plan(const PlanQuestion& question, PlanLimits limits, Refusal refusal, Library& library, Diagnostics& diagnostics) {
  std::optional<PlanValues> values = PlanValues::read(question, library, diagnostics);
  if (!values) return std::nullopt;
  PlanAnswer out;
  out.assumed = values->assumed();
  out.searches = std::make_unique<PlanSearches>(question, limits, library);
  if (!out.searches->run(*values, diagnostics)) return std::nullopt;
  out.partial = !out.searches->all().empty() && out.searches->all().back().answer.result.partial;
  if (!out.searches->best()) {
    out.reasons = reasons_of(*out.searches);
    out.cures = ChangedQuestions(question, limits, library).cures(diagnostics);
    return diagnostics.has_errors() ? std::nullopt : std::optional(std::move(out));
  }
  if (!choose(question, refusal, out, library, diagnostics) || !describe(question, out, library, diagnostics)) return std::nullopt;
  out.alternatives = question.plan->root.texts("alternatives");
  const Datum* const variants = question.plan->root.find("variants");
  if (variants != nullptr && !out.partial) {
    std::optional<PlanLine> line = ChangedQuestions(question, limits, library).variants(*variants, *out.chosen, *out.run, diagnostics);
    if (!line) return std::nullopt;
    if (!line->parts.empty()) out.lines.push_back(std::move(*line));
  }
  if (!out.partial) out.alternative = out.searches->alternative(*out.chosen, out.alternatives, diagnostics);
  // A better candidate than the chosen one is refused; `faster` describes it.
  if (out.refused && out.alternative && PlanSearches::loss(*out.chosen, *out.alternative) < 0) out.alternative.reset();
  return out;
}

/// Most values of an axis whose cost is stated.
constexpr std::size_t kOthers = 16;

/// Returns the losses of the other values of an axis, and the reasons of infeasible ones. `request` fixes all other free
/// axes.
std::vector<PlanChoice::Other> other_values(const SearchRequest& request, std::size_t axis, const PlanCandidate& chosen, Library& library) {
  Diagnostics ignored;
  std::vector<PlanChoice::Other> out;
  const std::optional<SearchAnswer> found = search(request, library, ignored);
  if (!found) return out;
  std::vector<std::string> known{human(chosen.candidate.execution[axis])};
  const auto is_new = [&](const std::string& value) { return !contains(known, value) && (known.push_back(value), true); };
  for (const SearchAnswer::Candidate& other : found->best) {
    const std::string value = human(other.execution[axis]);
    if (is_new(value)) out.push_back({value, PlanSearches::loss(chosen, {chosen.search, other}), ""});
  }
  for (const SearchAnswer::Refused& refused : found->refused) {
    const std::string value = human(refused.candidate.execution[axis]);
    if (is_new(value)) out.push_back({value, std::nullopt, refused.message.empty() ? refused.reason : refused.message});
  }
  return out;
}

std::vector<PlanChoice> plan_choices(const PlanAnswer& answer, Library& library) {
  // For each axis one search in which all other axes keep the values of the chosen candidate. Derived axes follow the
  // others and are no choices. The first search of the space decides which axes are free, because later searches may keep
  // values of axes.
  const PlanCandidate& chosen = *answer.chosen;
  const auto is_of_space = [&](const PlanSearch& search) { return search.request.run.space == chosen.search->request.run.space; };
  const SearchAnswer& first = std::find_if(answer.searches->all().begin(), answer.searches->all().end(), is_of_space)->answer;
  std::vector<std::size_t> free;
  for (std::size_t a = 0; a < first.axes.size(); ++a) {
    const int position = first.space.order[a].second;
    if (position >= 0 && first.space.axes[static_cast<std::size_t>(position)].derived == nullptr) free.push_back(a);
  }
  SearchRequest request = chosen.search->request;
  request.refused = true, request.refused_each = kOthers;
  request.sweep.top = kOthers;
  for (const std::size_t a : free) std::erase_if(request.run.overrides, [&](const auto& setting) { return setting.first == first.axes[a]; });
  std::vector<PlanChoice> out;
  for (const std::size_t a : free) {
    SearchRequest neighbors = request;
    for (const std::size_t other : free) {
      if (other != a) neighbors.run.overrides.emplace_back(first.axes[other], as_written(chosen.candidate.execution[other]));
    }
    PlanChoice choice{first.axes[a], human(chosen.candidate.execution[a]), other_values(neighbors, a, chosen, library)};
    if (!choice.others.empty()) out.push_back(std::move(choice));
  }
  return out;
}

}  // namespace opledger
