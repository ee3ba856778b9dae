#include "search/search.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "search/duplicate_checker.h"
#include "search/headroom.h"
#include "search/identity.h"
#include "search/processes/shared_search.h"
#include "search/single_candidates.h"
#include "search/space/combinations.h"
#include "search/space/reads.h"
#include "search/space/space_reader.h"
#include "search/space/where.h"
#include "search/store/store.h"
#include "search/sweep/assembly.h"
#include "search/sweep/columns.h"
#include "search/sweep/sweep.h"
#include "search/symmetry.h"

namespace opledger {
namespace {

/// Reports names that are no published metrics.
bool check_metrics(const Program& program, const std::vector<std::string>& names, Diagnostics& diagnostics) {
  const std::vector<std::string> known = names_of(program.published);
  for (const std::string& name : names) {
    if (program.find_published(name) == nullptr) diagnostics.error({}, fmt::format("unknown metric `{}`{}", name, suggestion(name, known)));
  }
  return !diagnostics.has_errors();
}

/// Parses metrics of the front: `+NAME` is maximized, `-NAME` minimized. Without a sign the objective keeps its
/// direction, and other metrics are minimized, because they are costs.
std::vector<FrontMetric> front_metrics(const Space& space, const std::vector<std::string>& pareto, Diagnostics& diagnostics) {
  std::vector<FrontMetric> out;
  for (const std::string& text : pareto) {
    const bool sign = !text.empty() && (text[0] == '+' || text[0] == '-');
    const std::string name = sign ? text.substr(1) : text;
    if (std::any_of(out.begin(), out.end(), [&](const FrontMetric& other) { return other.name == name; }))
      diagnostics.error({}, fmt::format("`--pareto`: `{}` is there twice", name));
    out.push_back({name, sign ? text[0] == '+' : name == space.objective && space.maximize});
  }
  return out;
}

/// Appends the names that `into` lacks.
void add_new(const std::vector<std::string>& names, std::vector<std::string>& into) {
  for (const std::string& name : names) {
    if (!contains(into, name)) into.push_back(name);
  }
}

/// Factor of best candidates that a sweep keeps beyond the request: duplicates of one run are removed before reporting.
constexpr std::size_t kSpareFactor = 4;

/// Returns the names to evaluate for each described candidate: shown metrics, then the names of the headroom check.
std::vector<std::string> described_names(const SearchAnswer& answer) {
  std::vector<std::string> out = answer.metrics;
  const std::vector<std::string> headroom = headroom_names(answer.space.run->program());
  out.insert(out.end(), headroom.begin(), headroom.end());
  return out;
}

/// Fills in the described candidates of an answer: best, front, refused. Each one is evaluated again, because a sweep keeps
/// only scores and axis values.
class CandidateDescriber {
 public:
  CandidateDescriber(SearchAnswer& answer, const CandidateColumns& columns, Diagnostics& diagnostics)
      : answer_(answer), columns_(columns), diagnostics_(diagnostics), free_(answer.space), single_(answer.space, described_names(answer), answer.result) {}

  /// Describes the best candidates and the front. Returns false, with errors, if an evaluation fails.
  bool run(std::size_t top) {
    if (!add_best(top)) return false;
    warn_about_headroom(answer_.space.run->program(), headroom_values_, diagnostics_);
    if (answer_.pareto.empty()) return add_simplest();
    for (const FrontPoint& point : answer_.result.front.sorted()) {
      SearchAnswer::Candidate& out = answer_.front.emplace_back();
      out.multiplicity = point.multiplicity;
      if (!describe(point.values, out)) return false;
    }
    return true;
  }

  /// Describes the `top` best distinct runs, and counts their duplicates in the sweep's list. The sweep's list is
  /// sorted and longer than `top` (kSpareFactor), because duplicates leave it here. Two candidates are duplicates if
  /// they are the same run under two names. Cheap tests come first: equal scores, then equal shown values, then the
  /// comparison of whole runs. Returns false, with errors, if a candidate can't be evaluated.
  bool add_best(std::size_t top) {
    DuplicateChecker checker(answer_.space);
    std::vector<const ScoredCandidate*> distinct;
    for (const ScoredCandidate& found : answer_.result.best) {
      const auto original = std::find_if(distinct.begin(), distinct.end(), [&](const ScoredCandidate* other) {
        return other->score == found.score && same_outputs(*other, found) && checker.are_duplicates(free_.of(other->values), free_.of(found.values));
      });
      if (original != distinct.end()) {
        ++answer_.best[original - distinct.begin()].multiplicity;
      } else if (distinct.size() < top) {
        distinct.push_back(&found);
        if (!describe(found.values, answer_.best.emplace_back())) return false;
      }
    }
    return true;
  }

  /// Describes the simplest candidate. The front of objective and simplicity has the best objective for each degree of
  /// simplicity; sorted, it leads from the best objective to the simplest candidate. The last point whose objective is
  /// within the allowed loss is the answer.
  bool add_simplest() {
    const std::vector<FrontPoint> points = answer_.result.front.sorted();
    if (points.empty()) return true;
    const double best = points.front().metrics[0], loss = answer_.space.simplicity->within * std::fabs(best);
    for (const FrontPoint& point : points) {
      if (!describe(point.values, answer_.by_simplicity.emplace_back())) return false;
      if (std::fabs(point.metrics[0] - best) <= loss) answer_.simplest = answer_.by_simplicity.back();
    }
    return true;
  }

  /// Returns whether two candidates have the same shown values, a cheap test before the full comparison.
  bool same_outputs(const ScoredCandidate& a, const ScoredCandidate& b) {
    Diagnostics ignored;
    const std::optional<CompiledProgram::Result> first = single_.evaluate(a.values, ignored);
    const std::optional<CompiledProgram::Result> second = single_.evaluate(b.values, ignored);
    return first && second && std::equal(first->outputs.begin(), first->outputs.end(), second->outputs.begin(), second->outputs.end(), same_value);
  }

  /// Finds the best candidates refused for each reason, at most `most` of each. A candidate's reason is that of its first violated constraint. Each
  /// reason costs one more sweep of the space, in which only candidates refused for it count as feasible. A reason is left
  /// out if its sweep fails or no candidate has a value of the objective. Returns false, with errors, if a found candidate
  /// can't be evaluated.
  bool add_refused(const SweepRequest& options, std::size_t most) {
    for (const auto& [reason, _] : answer_.result.infeasible) {
      SweepRequest request;
      request.top = most;
      request.jobs = options.jobs;
      request.stop = options.stop;
      request.refused_by = reason;
      Diagnostics ignored;
      const std::optional<SweepResult> found = sweep(answer_.space, request, ignored);
      if (!found) continue;
      for (const auto& best : found->best) {
        SearchAnswer::Refused& out = answer_.refused.emplace_back();
        out.reason = reason;
        if (!describe(best.values, out.candidate, &out.message)) return false;
      }
    }
    return true;
  }

 private:
  /// Evaluates a candidate and fills in `out`; `violation` receives the message of the first violated constraint.
  bool describe(const std::vector<double>& values, SearchAnswer::Candidate& out, std::string* violation = nullptr) {
    for (std::size_t column = 0; column < columns_.axes().size(); ++column) out.execution.push_back(columns_.axis(column, values.data()));
    const std::optional<CompiledProgram::Result> found = single_.evaluate(values, diagnostics_);
    if (!found) return false;
    const auto headroom = found->outputs.begin() + static_cast<std::ptrdiff_t>(answer_.metrics.size());
    out.metrics.assign(found->outputs.begin(), headroom);
    if (headroom_values_.empty()) headroom_values_.assign(headroom, found->outputs.end());
    if (violation != nullptr) *violation = found->violation;
    return true;
  }

  SearchAnswer& answer_;
  const CandidateColumns& columns_;
  Diagnostics& diagnostics_;
  const FreeAxes free_;
  SingleCandidates single_;
  std::vector<Value> headroom_values_;  ///< Values for the headroom check of the best candidate.
};

/// Reads the space and checks the request before any candidate is searched. Conditions and stops of the request are
/// added to the space. The metrics to report are the objective, the metrics of the front, the tradeoffs of the space, and
/// further requested metrics, each once. Declared symmetries are tested on these metrics and on the summed metrics, because a wrong
/// symmetry would drop candidates. Returns an answer with the space and names only; nothing, with errors, if a name, a
/// condition or a symmetry is wrong.
std::optional<SearchAnswer> prepare(const SearchRequest& request, Library& library, Diagnostics& diagnostics) {
  SearchAnswer answer;
  std::optional<Space> space = read_space(request.run, library, diagnostics);
  if (!space) return std::nullopt;
  answer.space = std::move(*space);
  for (const std::string& condition : request.where) {
    if (!add_where(answer.space, condition, diagnostics)) return std::nullopt;
  }
  for (const std::string& axis : request.stop) {
    if (!add_stop(answer.space, axis, diagnostics)) return std::nullopt;
  }
  answer.accounting = answer.space.run->accounting();
  if (!request.objective.empty()) {
    if (!check_metrics(answer.space.run->program(), {request.objective}, diagnostics)) return std::nullopt;
    answer.space.objective = request.objective;
  }
  answer.objective = answer.space.objective;
  answer.sums = request.sweep.sums;
  answer.metrics = {answer.objective};
  answer.pareto = front_metrics(answer.space, request.pareto, diagnostics);
  for (const FrontMetric& metric : answer.pareto) add_new({metric.name}, answer.metrics);
  add_new(answer.space.tradeoffs, answer.metrics);
  add_new(request.metrics, answer.metrics);
  const Program& program = answer.space.run->program();
  if (!check_metrics(program, answer.sums, diagnostics) || !check_metrics(program, answer.metrics, diagnostics) || diagnostics.has_errors())
    return std::nullopt;
  std::vector<std::string> evaluated = answer.metrics;
  add_new(answer.sums, evaluated);
  return check_symmetries(answer.space, evaluated, diagnostics) ? std::optional(std::move(answer)) : std::nullopt;
}

/// Describes the search for its store: identity, and facts for readers of the file.
Store::Description describe(const SearchRequest& request, const SearchAnswer& answer) {
  Store::Description out{request.store, identity_of(answer.space, request), {}, answer.objective, answer.space.maximize, request.resume};
  std::map<std::string, std::string> set;  // the last override of a key wins
  for (const auto& [key, value] : request.run.overrides) set["set " + key] = value;
  out.facts = {{"space", request.run.space}, {"model", request.run.model}, {"system", request.run.system}, {"accounting", answer.accounting}};
  out.facts.insert(out.facts.end(), set.begin(), set.end());
  for (std::size_t i = 0; i < request.where.size(); ++i) out.facts.emplace_back(fmt::format("where {}", i + 1), request.where[i]);
  std::vector<std::string> stops;
  for (const SpaceAxis& axis : answer.space.axes) {
    if (axis.stops) stops.push_back(axis.input->name);
  }
  if (!stops.empty()) out.facts.emplace_back("stop", join(stops, ", "));
  return out;
}

/// Lists the axes that have one value in the whole space although their domains read inputs of the space, which may
/// allow more. Axes without such an input have one value by their nature and are left out. An axis with too many
/// combinations of the axes before it is left out, too.
void add_held_axes(SearchAnswer& answer, const CandidateColumns& columns) {
  const Datum* const declared = answer.space.run->space_document()->root.find("inputs");
  if (declared == nullptr) return;
  Combinations combinations(answer.space);
  for (std::size_t column = 0; column < columns.axes().size(); ++column) {
    if (columns.position(column) < 0) continue;
    const auto a = static_cast<std::size_t>(columns.position(column));
    const SpaceAxis& axis = answer.space.axes[a];
    const std::vector<double>* const values = axis.derived == nullptr ? combinations.values(answer.space, a) : nullptr;
    if (values == nullptr || values->size() != 1) continue;
    std::vector<std::string> inputs;
    for (const std::string& name : input_names(axis)) {
      const Datum* const input = declared->find(name);
      if (input != nullptr && input->find("default") != nullptr) inputs.push_back(name);  // Required inputs are the user's choice already.
    }
    if (inputs.empty()) continue;
    std::vector<double> candidate(answer.space.axes.size());
    candidate[a] = values->front();
    answer.held_axes.push_back({columns.axes()[column], columns.axis(column, candidate.data()), std::move(inputs)});
  }
}

/// Turns sums into values with units.
void add_totals(SearchAnswer& answer) {
  const CandidateColumns sums(answer.space, answer.sums);
  for (std::size_t m = 0; m < answer.sums.size(); ++m) answer.totals.push_back(sums.metric(m, answer.result.sums[m].value()));
}

/// Returns the options of the sweep, without callbacks.
SweepRequest sweep_request(const SearchRequest& request, const SearchAnswer& answer) {
  SweepRequest out = request.sweep;
  out.top *= kSpareFactor;
  out.front = answer.pareto;
  if (out.front.empty() && answer.space.simplicity) out.front = {{answer.objective, answer.space.maximize}, {answer.space.simplicity->metric, false}};
  if (request.ranks != nullptr) out.process_count = static_cast<std::size_t>(request.ranks->size() - 1);
  out.single_metrics = headroom_names(answer.space.run->program());
  out.list = request.sink != nullptr || !request.store.empty();
  if (out.list) out.metrics = answer.metrics;
  return out;
}

/// Runs the sweep and writes its rows to the requested outputs. The rows of each range go to the sink or to the store;
/// a caller requests at most one of the two. A resumed search starts after the last stored range, with the stored tally
/// (counts, sums, best candidates). Progress is translated for users: the score gets its name and unit. One process
/// sweeps alone; with several processes this process leads the others. An interrupted sweep marks sink and store as
/// incomplete. Returns nothing, with errors, if the sweep or an output fails.
std::optional<SweepResult> find(const SearchRequest& request, SearchAnswer& answer, const CandidateColumns& columns, Diagnostics& diagnostics) {
  SweepRequest sweep_options = sweep_request(request, answer);
  if (request.sink != nullptr) {
    sweep_options.rows = request.sink->write;
    if (!request.sink->begin(columns, diagnostics)) return std::nullopt;
  }
  Store store;
  if (!request.store.empty()) {
    sweep_options.before = empty_tally(sweep_options);
    if (!store.open(describe(request, answer), answer.space, columns, *sweep_options.before, diagnostics)) return std::nullopt;
    sweep_options.first = store.ranges();
    answer.before = sweep_options.before->candidates + sweep_options.before->skipped;
    sweep_options.rows = [&](const RangeResult& found, Diagnostics& messages) { return store.add(found, messages); };
  }
  if (request.watch) {
    sweep_options.watch = [&](const SweepStatus& status) {
      const std::string best = status.best ? answer.objective + " " + human(columns.metric(0, *status.best)) : "";
      request.watch({status.done, status.total, answer.before, best});
    };
  }
  std::optional<SweepResult> result =
      request.ranks != nullptr ? lead(answer.space, sweep_options, *request.ranks, diagnostics) : sweep(answer.space, sweep_options, diagnostics);
  if (!result) return std::nullopt;
  if (request.sink != nullptr && !request.sink->end(!result->partial, diagnostics)) return std::nullopt;
  if (!request.store.empty() && !store.finish(!result->partial, diagnostics)) return std::nullopt;
  return result;
}

}  // namespace

std::optional<SearchAnswer> search(const SearchRequest& request, Library& library, Diagnostics& diagnostics) {
  // Four steps: read and check the space, sweep all candidates, add up totals, describe the best candidates. Every
  // process of a shared search reads the space. Ranks other than 0 then serve the leader and return no answer; if their
  // space is wrong, the leader must learn the reason (`give_up`), because it would wait for them.
  std::optional<SearchAnswer> answer = prepare(request, library, diagnostics);
  if (request.ranks != nullptr && !request.ranks->leads()) {
    if (answer)
      serve(answer->space, sweep_request(request, *answer), *request.ranks);
    else
      give_up(*request.ranks, diagnostics);
    return std::nullopt;
  }
  if (!answer) return std::nullopt;
  const CandidateColumns columns(answer->space, answer->metrics);
  answer->axes = columns.axes();
  std::optional<SweepResult> result = find(request, *answer, columns, diagnostics);
  if (!result) return std::nullopt;
  answer->result = std::move(*result);
  add_totals(*answer);
  add_held_axes(*answer, columns);
  CandidateDescriber describer(*answer, columns, diagnostics);
  if (!describer.run(request.sweep.top) || (request.refused && !describer.add_refused(request.sweep, request.refused_each))) return std::nullopt;
  answer->result.known.reset();  // the traces refer to `space`, which moves with the answer
  return answer;
}

}  // namespace opledger
