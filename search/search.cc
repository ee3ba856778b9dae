#include "search/search.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "search/identity.h"
#include "search/processes/shared.h"
#include "search/room.h"
#include "search/same_runs.h"
#include "search/single.h"
#include "search/space/space_reader.h"
#include "search/space/where.h"
#include "search/store/store.h"
#include "search/sweep/assembly.h"
#include "search/sweep/columns.h"
#include "search/sweep/sweep.h"
#include "search/symmetry.h"

namespace opledger {
namespace {

bool check_metrics(const Program& program, const std::vector<std::string>& names, Diagnostics& diagnostics) {
  const std::vector<std::string> known = names_of(program.published);
  for (const std::string& name : names) {
    if (program.find_published(name) == nullptr) diagnostics.error({}, fmt::format("unknown metric `{}`{}", name, suggestion(name, known)));
  }
  return !diagnostics.has_errors();
}

/// Without a sign the objective is as the space says, and of other metrics the smallest is best: they are what it costs.
std::vector<FrontMetric> front_metrics(const Space& space, const std::vector<std::string>& pareto, Diagnostics& diagnostics) {
  std::vector<FrontMetric> out;
  for (const std::string& text : pareto) {
    const bool sign = !text.empty() && (text[0] == '+' || text[0] == '-');
    const std::string name = sign ? text.substr(1) : text;
    if (std::any_of(out.begin(), out.end(), [&](const FrontMetric& other) { return other.name == name; }))
      diagnostics.error({}, fmt::format("`--pareto`: `{}` is there twice", name));
    out.push_back({name, sign ? text[0] == '+' : name == space.objective && space.maximise});
  }
  return out;
}

void add_new(const std::vector<std::string>& names, std::vector<std::string>& into) {
  for (const std::string& name : names) {
    if (!contains(into, name)) into.push_back(name);
  }
}

/// Of the best so many more are kept than are told that those which turn out to be the same run leave enough others.
constexpr std::size_t kSpare = 4;

/// What is told of a single candidate: the metrics that are shown, and what its room in memory is judged by.
std::vector<std::string> told_of(const SearchAnswer& answer) {
  std::vector<std::string> out = answer.metrics;
  const std::vector<std::string> room = names_of_room(answer.space.run->program());
  out.insert(out.end(), room.begin(), room.end());
  return out;
}

class Describer {
 public:
  Describer(SearchAnswer& answer, const CandidateColumns& columns, Diagnostics& diagnostics)
      : answer_(answer), columns_(columns), diagnostics_(diagnostics), free_(answer.space), single_(answer.space, told_of(answer), answer.result) {}

  bool run(std::size_t top) {
    if (!add_best(top)) return false;
    warn_of_little_room(answer_.space.run->program(), room_, diagnostics_);
    for (const FrontPoint& point : answer_.result.front.sorted()) {
      SearchAnswer::Candidate& out = answer_.front.emplace_back();
      out.alike = point.alike;
      if (!describe(point.values, out)) return false;
    }
    return true;
  }

  bool add_best(std::size_t top) {
    SameRuns runs(answer_.space);
    std::vector<const Found*> told;
    for (const Found& found : answer_.result.best) {
      const auto same = std::find_if(told.begin(), told.end(), [&](const Found* other) {
        return other->score == found.score && told_alike(*other, found) && runs.same(free_.of(other->values), free_.of(found.values));
      });
      if (same != told.end()) {
        ++answer_.best[same - told.begin()].alike;
      } else if (told.size() < top) {
        told.push_back(&found);
        if (!describe(found.values, answer_.best.emplace_back())) return false;
      }
    }
    return true;
  }

  /// Whether what is told of two candidates anyway is the same: of those that differ no more needs to be known.
  bool told_alike(const Found& a, const Found& b) {
    Diagnostics told_where_it_is_described;
    const std::optional<Structure::Result> first = single_.evaluate(a.values, told_where_it_is_described);
    const std::optional<Structure::Result> second = single_.evaluate(b.values, told_where_it_is_described);
    return first && second && std::equal(first->outputs.begin(), first->outputs.end(), second->outputs.begin(), second->outputs.end(), same_value);
  }

  /// Of every reason the best candidate that is refused for it. Of what can't be built or has no value there is none.
  bool add_refused(const SweepRequest& asked) {
    for (const auto& [reason, _] : answer_.result.infeasible) {
      SweepRequest request;
      request.top = 1;
      request.jobs = asked.jobs;
      request.stop = asked.stop;
      request.refused_by = reason;
      Diagnostics skipped;
      const std::optional<SweepResult> found = sweep(answer_.space, request, skipped);
      if (!found || found->best.empty()) continue;
      SearchAnswer::Refused& out = answer_.refused.emplace_back();
      out.reason = reason;
      if (!describe(found->best[0].values, out.candidate, &out.message)) return false;
    }
    return true;
  }

 private:
  bool describe(const std::vector<double>& values, SearchAnswer::Candidate& out, std::string* lacks = nullptr) {
    for (std::size_t column = 0; column < columns_.axes().size(); ++column) out.execution.push_back(columns_.axis(column, values.data()));
    const std::optional<Structure::Result> found = single_.evaluate(values, diagnostics_);
    if (!found) return false;
    const auto room = found->outputs.begin() + static_cast<std::ptrdiff_t>(answer_.metrics.size());
    out.metrics.assign(found->outputs.begin(), room);
    if (room_.empty()) room_.assign(room, found->outputs.end());
    if (lacks != nullptr) *lacks = found->violation;
    return true;
  }

  SearchAnswer& answer_;
  const CandidateColumns& columns_;
  Diagnostics& diagnostics_;
  const FreeAxes free_;
  SingleCandidates single_;
  std::vector<Value> room_;  ///< Of the first that is told, the best.
};

/// What is asked for, by its names. Empty, with errors, if one is unknown.
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
  answer.objective = answer.space.objective;
  answer.sums = request.sweep.sums;
  answer.metrics = {answer.objective};
  answer.pareto = front_metrics(answer.space, request.pareto, diagnostics);
  for (const FrontMetric& metric : answer.pareto) add_new({metric.name}, answer.metrics);
  add_new(request.metrics, answer.metrics);
  const Program& program = answer.space.run->program();
  if (!check_metrics(program, answer.sums, diagnostics) || !check_metrics(program, answer.metrics, diagnostics) || diagnostics.has_errors())
    return std::nullopt;
  std::vector<std::string> asked = answer.metrics;
  add_new(answer.sums, asked);
  return check_symmetries(answer.space, asked, diagnostics) ? std::optional(std::move(answer)) : std::nullopt;
}

Store::Description describe(const SearchRequest& request, const SearchAnswer& answer, Library& library) {
  Store::Description out{request.store, identity_of(answer.space, request, library), {}, answer.objective, answer.space.maximise, request.resume};
  std::map<std::string, std::string> set;  // the last one counts
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

void add_totals(SearchAnswer& answer) {
  const CandidateColumns sums(answer.space, answer.sums);
  for (std::size_t m = 0; m < answer.sums.size(); ++m) answer.totals.push_back(sums.metric(m, answer.result.sums[m].value()));
}

/// What is searched, but for those who write it down.
SweepRequest sweep_request(const SearchRequest& request, const SearchAnswer& answer) {
  SweepRequest out = request.sweep;
  out.top *= kSpare;
  out.front = answer.pareto;
  if (request.ranks != nullptr) out.sharers = static_cast<std::size_t>(request.ranks->size() - 1);
  out.told = names_of_room(answer.space.run->program());
  out.list = request.sink != nullptr || !request.store.empty();
  if (out.list) out.metrics = answer.metrics;
  return out;
}

std::optional<SweepResult> find(const SearchRequest& request, SearchAnswer& answer, const CandidateColumns& columns, Library& library,
                                Diagnostics& diagnostics) {
  SweepRequest wanted = sweep_request(request, answer);
  if (request.sink != nullptr) {
    wanted.rows = request.sink->write;
    if (!request.sink->begin(columns, diagnostics)) return std::nullopt;
  }
  Store store;
  if (!request.store.empty()) {
    wanted.before = empty_tally(wanted);
    if (!store.open(describe(request, answer, library), answer.space, columns, *wanted.before, diagnostics)) return std::nullopt;
    wanted.first = store.stretches();
    answer.before = wanted.before->candidates + wanted.before->skipped;
    wanted.rows = [&](const StretchFound& found, Diagnostics& messages) { return store.add(found, messages); };
  }
  if (request.watch) {
    wanted.watch = [&](const SweepStatus& status) {
      const std::string best = status.best ? answer.objective + " " + human(columns.metric(0, *status.best)) : "";
      request.watch({status.done, status.total, answer.before, best});
    };
  }
  std::optional<SweepResult> result =
      request.ranks != nullptr ? lead(answer.space, wanted, *request.ranks, diagnostics) : sweep(answer.space, wanted, diagnostics);
  if (!result) return std::nullopt;
  if (request.sink != nullptr && !request.sink->end(!result->partial, diagnostics)) return std::nullopt;
  if (!request.store.empty() && !store.finish(!result->partial, diagnostics)) return std::nullopt;
  return result;
}

}  // namespace

std::optional<SearchAnswer> search(const SearchRequest& request, Library& library, Diagnostics& diagnostics) {
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
  std::optional<SweepResult> result = find(request, *answer, columns, library, diagnostics);
  if (!result) return std::nullopt;
  answer->result = std::move(*result);
  add_totals(*answer);
  Describer describer(*answer, columns, diagnostics);
  if (!describer.run(request.sweep.top) || (request.refused && !describer.add_refused(request.sweep))) return std::nullopt;
  answer->result.known.reset();  // it is of the space that is here
  return answer;
}

}  // namespace opledger
