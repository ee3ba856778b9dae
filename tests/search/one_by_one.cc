#include "tests/search/one_by_one.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "search/space/free_axes.h"
#include "search/sweep/missing_value.h"
#include "search/sweep/refusal.h"

namespace opledger {
namespace {

Query question(const Space& space, const SweepRequest& request) {
  Query out = query_of(space);
  out.outputs = {space.objective};
  out.outputs.insert(out.outputs.end(), request.sums.begin(), request.sums.end());
  out.outputs.insert(out.outputs.end(), request.metrics.begin(), request.metrics.end());
  out.constraints = true;
  return out;
}

double number(const Value& value) { return value.kind == Value::Kind::nothing ? std::nan("") : value.scalar.value; }

}  // namespace

OneByOne::OneByOne(Space& space, const SweepRequest& request, Sharing sharing)
    : space_(space),
      request_(request),
      sharing_(sharing),
      domains_(space),
      question_(question(space, request)),
      structures_(*space.run, question_),
      values_(space.axes.size()) {
  result.sums.resize(request.sums.size());
  visit(0);
}

std::optional<std::vector<double>> OneByOne::domain(std::size_t axis) {
  std::optional<Domains> own;
  if (sharing_ == Sharing::nothing) own.emplace(space_);
  const std::vector<double>* all = (own ? *own : domains_).of(axis, values_, diagnostics);
  return all == nullptr ? std::nullopt : std::optional(*all);
}

OneByOne::Met OneByOne::visit(std::size_t axis) {
  if (axis == values_.size()) return {true, evaluate()};
  const std::optional<std::vector<double>> all_values = domain(axis);
  if (!all_values) return {};
  Met all;
  for (const double value : *all_values) {
    values_[axis] = value;
    const Met with_this = visit(axis + 1);
    if (diagnostics.has_errors()) break;
    all = {all.some || with_this.some, all.feasible || with_this.feasible};
    if (space_.axes[axis].stops && with_this.some && !with_this.feasible) break;
  }
  return all;
}

/// Checks that a trace of the candidate agrees with its evaluation by plain numbers.
void OneByOne::compare_with_numbers(const std::vector<double>& candidate, const CompiledProgram::Result& recorded) {
  CompiledProgram::Shared shared;
  Diagnostics ignored;
  const std::optional<Trace> trace = CompiledProgram::numbers(*space_.run, question_, candidate, shared, ignored);
  const auto holds = [&](const Trace::Check& check) { return trace->results[check.result].value != 0; };
  const bool feasible = trace && std::all_of(trace->checks.begin(), trace->checks.end(), holds);
  if (feasible != recorded.reason.empty())
    diagnostics.error({}, fmt::format("{} is {}feasible, but recorded: {}", candidate_text(space_, values_), feasible ? "" : "not ", recorded.reason));
  for (std::size_t m = 0; m < recorded.outputs.size() && feasible; ++m) {
    const Value &own = trace->metrics[m], &other = recorded.outputs[m];
    if (own.kind != other.kind || (own.is_number() && own.scalar.value != other.scalar.value))
      diagnostics.error({}, fmt::format("{}: `{}` is {}, and recorded {}", candidate_text(space_, values_), question_.outputs[m], human(own), human(other)));
  }
}

CompiledProgram::Result OneByOne::answer(const std::vector<double>& candidate) {
  if (sharing_ == Sharing::structures) {
    const CompiledProgram* structure = structures_.find(candidate, diagnostics);
    return structure == nullptr ? CompiledProgram::Result{} : structure->evaluate(candidate);
  }
  CompiledProgram::Shared shared;
  const Trace trace = CompiledProgram::trace_or_refuse(*space_.run, question_, candidate, shared);
  const CompiledProgram structure(trace);
  CompiledProgram::Result out = structure.evaluate(candidate);
  const std::vector<double> results = structure.kernel().run(candidate);
  for (const Trace::Check& check : trace.checks) {
    if (results[check.result] != 0) continue;
    out.reason = reason_of(check);
    break;
  }
  compare_with_numbers(candidate, out);
  return out;
}

/// Returns whether the candidate is feasible; counts it by reason otherwise.
bool OneByOne::evaluate() {
  std::vector<double> candidate;
  for (std::size_t a = 0; a < values_.size(); ++a) {
    if (space_.axes[a].derived == nullptr) candidate.push_back(values_[a]);
  }
  const CompiledProgram::Result found = answer(candidate);
  if (diagnostics.has_errors()) return false;
  ++result.candidates;
  const Value& score = found.outputs[0];
  if (!found.reason.empty()) {
    ++result.infeasible[found.reason];
    auto& [scored, nearest] = refused[found.reason];
    scored += score.is_number() ? 1 : 0;
    if (score.is_number() && (!nearest || better(score.scalar.value, nearest->score))) nearest = ScoredCandidate{score.scalar.value, values_};
    return false;
  }
  ++result.feasible;
  for (std::size_t m = 0; m < result.sums.size(); ++m) result.sums[m].add(number(found.outputs[m + 1]));
  std::vector<double>& row = feasible.emplace_back(values_);
  for (std::size_t m = 1 + request_.sums.size(); m < found.outputs.size(); ++m) row.push_back(number(found.outputs[m]));
  if (!score.is_number()) return true;
  const auto place = std::find_if(result.best.begin(), result.best.end(), [&](const ScoredCandidate& f) { return better(score.scalar.value, f.score); });
  result.best.insert(place, ScoredCandidate{score.scalar.value, values_});  // after equal scores
  if (result.best.size() > request_.top) result.best.pop_back();
  return true;
}

}  // namespace opledger
