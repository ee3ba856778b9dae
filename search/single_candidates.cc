#include "search/single_candidates.h"

#include <algorithm>

namespace opledger {
namespace {

/// Returns the query for some outputs and all constraints.
Query query(const Space& space, std::vector<std::string> names) {
  Query out = query_of(space);
  out.outputs = std::move(names);
  out.constraints = true;
  return out;
}

/// Returns the position of each name in `among`; empty if a name is missing.
std::vector<std::size_t> positions(const std::vector<std::string>& names, const std::vector<std::string>& among) {
  std::vector<std::size_t> out;
  for (const std::string& name : names) {
    const auto found = std::find(among.begin(), among.end(), name);
    if (found == among.end()) return {};
    out.push_back(static_cast<std::size_t>(found - among.begin()));
  }
  return out;
}

}  // namespace

SingleCandidates::SingleCandidates(Space& space, std::vector<std::string> names, const SweepResult& swept)
    : free_(space), swept_(swept), programs_(*space.run, query(space, names)) {
  if (swept.known != nullptr) output_positions_ = positions(names, swept.known->query().outputs);
}

std::optional<CompiledProgram::Result> SingleCandidates::evaluate(const std::vector<double>& values, Diagnostics& diagnostics) {
  if (!output_positions_.empty()) return evaluate_swept(values);
  const std::vector<double> candidate = free_.of(values);
  const CompiledProgram* program = programs_.find(candidate, diagnostics);
  return program == nullptr ? std::nullopt : std::optional(program->evaluate(candidate));
}

/// Evaluates with a trace of the sweep, compiled at its first use, and selects the requested outputs.
CompiledProgram::Result SingleCandidates::evaluate_swept(const std::vector<double>& values) {
  const GuardedTrace& trace = swept_.known->of(values);
  CompiledProgram::Result out = compiled_.try_emplace(&trace, trace.trace).first->second.evaluate(free_.of(values));
  std::vector<Value> outputs;
  for (const std::size_t position : output_positions_) outputs.push_back(out.outputs[position]);
  out.outputs = std::move(outputs);
  return out;
}

}  // namespace opledger
