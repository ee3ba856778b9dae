#include "search/sweep/missing_value.h"

#include <fmt/core.h>

#include <algorithm>

#include "run/compiled_program.h"
#include "search/space/free_axes.h"
#include "search/sweep/columns.h"

namespace opledger {

std::string candidate_text(const Space& space, const std::vector<double>& values) {
  std::string out;
  for (std::size_t a = 0; a < values.size(); ++a) {
    const Name& input = *space.axes[a].input;
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", input.name, human(input_value(space.run->program(), input.type, values[a])));
  }
  return out;
}

namespace {

/// Traces the candidate for this metric alone and returns the first error; nothing if the trace succeeds.
std::optional<Diagnostic> reason_of(const Space& space, const std::string& metric, const std::vector<double>& values) {
  Query query = query_of(space);
  query.outputs = {metric};
  std::vector<double> candidate;
  for (const std::size_t axis : FreeAxes(space).axes) candidate.push_back(values[axis]);
  CompiledProgram::Shared shared;
  Diagnostics diagnostics;
  if (CompiledProgram::trace(*space.run, query, candidate, shared, diagnostics)) return std::nullopt;
  const auto& all = diagnostics.all();
  const auto first = std::find_if(all.begin(), all.end(), [](const Diagnostic& d) { return d.severity == Severity::error; });
  return first == all.end() ? std::nullopt : std::optional(*first);
}

}  // namespace

void report_missing_value(const Space& space, const std::string& metric, const std::vector<double>& values, Diagnostics& diagnostics) {
  const std::string message = fmt::format("`{}` has no value for some feasible candidates", metric);
  const std::optional<Diagnostic> reason = values.empty() ? std::nullopt : reason_of(space, metric, values);
  Diagnostic& error = reason ? diagnostics.error(reason->span, message + ": " + reason->message) : diagnostics.error({}, message);
  if (reason) error.notes = reason->notes;
  if (!values.empty()) error.note({}, "such as " + candidate_text(space, values));
}

}  // namespace opledger
