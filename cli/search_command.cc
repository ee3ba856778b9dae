// `search`: the best candidates of a design space.
#include <fmt/core.h>

#include <chrono>

#include "cli/command.h"
#include "report/search_report.h"

namespace opledger {

Outcome search_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  SearchRequest request;
  request.run = run_request(options, {});
  request.run.space = options.arguments[0];
  request.run.model = options.arguments.size() > 1 ? options.arguments[1] : "";
  request.run.system = options.arguments.size() > 2 ? options.arguments[2] : "";
  request.sweep.sums = options.sums;
  request.metrics = options.metrics;
  request.sweep.top = static_cast<std::size_t>(options.top);
  request.sweep.jobs = static_cast<std::size_t>(options.jobs);
  const auto start = std::chrono::steady_clock::now();
  const std::optional<SearchAnswer> answer = search(request, library, diagnostics);
  if (!answer) return {};
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  Outcome outcome{write_search(*answer, request, seconds, find_format(options.format).value_or(Format::text)), {}};
  if (answer->result.feasible == 0) outcome.infeasible.push_back(fmt::format("none of {} candidates is feasible", answer->result.candidates));
  return outcome;
}

}  // namespace opledger
