#include "search/plan/plan_search.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/lists.h"
#include "search/candidate_run.h"

namespace opledger {
namespace {

/// Number of best candidates of each search. Alternatives to the chosen candidate are often among them.
constexpr std::size_t kBest = 40;

bool is_better(const PlanCandidate& a, const PlanCandidate& b) {
  return a.search->answer.space.maximize ? a.objective() > b.objective() : a.objective() < b.objective();
}

/// Returns the value of an axis of a candidate; null if the space lacks the axis.
const Value* axis_value(const PlanCandidate& candidate, const std::string& axis) {
  const std::vector<std::string>& axes = candidate.search->answer.axes;
  const auto found = std::find(axes.begin(), axes.end(), axis);
  return found == axes.end() ? nullptr : &candidate.candidate.execution[static_cast<std::size_t>(found - axes.begin())];
}

/// Returns whether two candidates of one space differ on one of the axes.
bool differ(const PlanCandidate& a, const PlanCandidate& b, const std::vector<std::string>& axes) {
  return std::any_of(axes.begin(), axes.end(), [&](const std::string& axis) {
    const Value *x = axis_value(a, axis), *y = axis_value(b, axis);
    return x != nullptr && y != nullptr && as_written(*x) != as_written(*y);
  });
}

/// Returns a condition that a candidate differs from `chosen` on one of the axes; empty if the space has none of them.
std::string differs_from(const PlanCandidate& chosen, const std::vector<std::string>& axes) {
  std::string out;
  for (const std::string& axis : axes) {
    const Value* const value = axis_value(chosen, axis);
    if (value == nullptr || value->kind == Value::Kind::nothing) continue;
    const std::string text = value->text != nullptr ? "'" + *value->text + "'" : as_written(*value);
    out += fmt::format("{}{} != {}", out.empty() ? "" : " or ", axis, text);
  }
  return out;
}

bool is_true(const Datum& entry, const char* key) {
  const Datum* const value = entry.find(key);
  return value != nullptr && value->boolean().value_or(false);
}

}  // namespace

double PlanSearches::loss(const PlanCandidate& best, const PlanCandidate& other) {
  const double difference = best.objective() - other.objective();
  return (best.search->answer.space.maximize ? difference : -difference) / std::fabs(best.objective());
}

bool PlanSearches::run(PlanValues& values, Diagnostics& diagnostics, Extent extent, const std::string& minimized) {
  for (const Datum& search : question_.plan->root.find("searches")->items()) {
    if (extent != Extent::all && (best_ || search.find("keep") != nullptr)) continue;
    if (extent == Extent::until_found_unwidened && is_true(search, "unless_found")) continue;
    const bool screened = extent != Extent::all || is_true(search, "unless_found");
    if (!run_search(search, values, diagnostics, screened, minimized)) return false;
    if (!all_.empty() && all_.back().answer.result.partial) break;
  }
  return true;
}

bool PlanSearches::run_search(const Datum& search, PlanValues& values, Diagnostics& diagnostics, bool screened, const std::string& minimized) {
  const Datum* const keep = search.find("keep");
  if ((is_true(search, "unless_found") && best_) || (keep != nullptr && !best_)) return true;
  if (const Datum* when = search.find("when")) {
    const std::optional<Value> holds = values.value(*when, diagnostics);
    if (!holds) return false;
    if (as_truth(*holds).scalar.value == 0) return true;
  }
  SearchRequest request;
  request.run.model = question_.model, request.run.system = question_.system;
  const Document* const space = library_.load(*search.find("space"), {"search"}, diagnostics);
  if (space == nullptr) return false;
  request.run.space = space->shipped ? space->name : space->path.string();
  request.run.overrides = values.settings();
  const Datum* const set = search.find("set");
  for (const auto& [input, formula] : set != nullptr ? set->entries() : std::vector<Datum::Entry>{}) {
    // A word or a truth is written as it is; a formula may use the numbers of options.
    Diagnostics no_formula;
    const std::optional<Value> value = formula.boolean() || formula.number() ? std::nullopt : values.value(formula, no_formula);
    request.run.overrides.emplace_back(input.text(), value && value->is_number() ? as_written(*value) : formula.text());
  }
  for (const std::string& axis : search.texts("keep")) {
    if (const Value* value = axis_value(*best_, axis)) request.run.overrides.emplace_back(axis, as_written(*value));
  }
  request.run.overrides.insert(request.run.overrides.end(), question_.overrides.begin(), question_.overrides.end());
  if (const Datum* objective = search.find("objective")) request.objective = objective->text();
  if (!minimized.empty()) request.objective = minimized, request.pareto = {"-" + minimized};
  request.run.rules = values.rules();
  request.sweep.top = keep != nullptr ? 1 : kBest, request.sweep.jobs = limits_.jobs, request.sweep.stop = limits_.stop;
  if (screened && minimized.empty() && fails_screen(request)) return true;
  Diagnostics messages;  // Warnings concern the best candidate of one search, which need not be chosen.
  std::optional<SearchAnswer> answer = opledger::search(request, library_, messages);
  if (!answer) {
    // An error inside the document of the space means that its axes have no values for this question.
    const Diagnostic* const error = messages.first_error();
    if (error != nullptr && error->span.known() && origin_of(error->span) == space->path.string()) {
      std::string reason = error->message + (error->notes.empty() ? "" : ": " + error->notes.front().message);
      if (!contains(empty_spaces_, reason)) empty_spaces_.push_back(std::move(reason));
      return true;
    }
    diagnostics.append(std::move(messages));
    return false;
  }
  if (!all_.empty() && all_.front().answer.objective != answer->objective) {
    diagnostics.error(search.span(), fmt::format("the searches of a plan must have one objective: `{}` has {}, the first search {}", request.run.space,
                                                 answer->objective, all_.front().answer.objective));
    return false;
  }
  const PlanSearch& done = all_.emplace_back(PlanSearch{std::move(request), std::move(*answer)});
  if (done.answer.best.empty()) return true;
  PlanCandidate best{&done, done.answer.best.front()};
  if (!best_ || is_better(best, *best_)) best_ = std::move(best);
  return true;
}

bool PlanSearches::fails_screen(const SearchRequest& request) {
  const Datum* const screen = question_.plan->root.find("screen");
  if (screen == nullptr) return false;
  SearchRequest wide = request;
  for (const auto& [input, value] : screen->find("set")->entries()) wide.run.overrides.emplace_back(input.text(), value.text());
  wide.objective = screen->find("metric")->text(), wide.sweep.top = 1;
  std::map<std::string, std::string> settings(wide.run.overrides.rbegin(), wide.run.overrides.rend());  // The last value of an input counts.
  settings["space"] = wide.run.space;
  if (contains(failed_screens_, settings)) return true;
  Diagnostics ignored;  // The search itself reports errors.
  std::optional<SearchAnswer> answer = opledger::search(wide, library_, ignored);
  if (!answer || answer->result.partial || !answer->best.empty()) return false;
  failed_screens_.push_back(std::move(settings));
  if (!all_.empty()) all_.push_back({std::move(wide), std::move(*answer)});  // The first search states the objective.
  return true;
}

std::optional<PlanCandidate> PlanSearches::chosen(FunctionRef<bool(const PlanCandidate&)> accepts) const {
  // The candidates are tried from the best on, because a trial may be expensive. The simplest one within the allowed loss
  // of the first accepted one is chosen; better candidates were refused.
  std::vector<PlanCandidate> all{*best_};
  for (const PlanSearch& search : all_) {
    for (const SearchAnswer::Candidate& candidate : search.answer.by_simplicity) all.push_back({&search, candidate});
  }
  std::stable_sort(all.begin(), all.end(), is_better);
  const auto best = std::find_if(all.begin(), all.end(), accepts);
  if (best == all.end()) return std::nullopt;
  for (const PlanSearch& search : all_) {
    // The last candidate within the allowed loss is the simplest; the first one is the best of this search.
    const double within = search.answer.space.simplicity ? search.answer.space.simplicity->within : 0;
    for (auto candidate = search.answer.by_simplicity.rbegin(); candidate != search.answer.by_simplicity.rend(); ++candidate) {
      PlanCandidate out{&search, *candidate};
      const double lost = loss(*best, out);
      if (lost >= 0 && lost <= within && accepts(out)) return out;
    }
  }
  return *best;
}

std::optional<PlanCandidate> PlanSearches::alternative(const PlanCandidate& chosen, const std::vector<std::string>& alternatives, Diagnostics& diagnostics) {
  // The best candidates of all searches are compared. Candidates of another space are alternatives as a whole. The first
  // search of the chosen space has every value of the axes; if none of its best candidates differs, it is run again with
  // the condition that an axis differs.
  std::optional<PlanCandidate> out;
  const auto compare = [&](PlanCandidate other) {
    if (!out || is_better(other, *out)) out = std::move(other);
  };
  const PlanSearch* first = nullptr;
  bool found_in_first = false;
  for (const PlanSearch& search : all_) {
    const bool other_space = search.request.run.space != chosen.search->request.run.space;
    if (!other_space && first == nullptr) first = &search;
    for (const SearchAnswer::Candidate& candidate : search.answer.best) {
      PlanCandidate other{&search, candidate};
      if (!other_space && !differ(chosen, other, alternatives)) continue;
      found_in_first = found_in_first || &search == first;
      compare(std::move(other));
      break;
    }
  }
  const std::string condition = differs_from(chosen, alternatives);
  if (found_in_first || condition.empty()) return out;
  SearchRequest request = first->request;
  request.where.push_back(condition);
  request.sweep.top = 1;
  std::optional<SearchAnswer> answer = opledger::search(request, library_, diagnostics);
  if (!answer || answer->best.empty()) return out;
  const PlanSearch& done = all_.emplace_back(PlanSearch{std::move(request), std::move(*answer)});
  compare({&done, done.answer.best.front()});
  return out;
}

}  // namespace opledger
