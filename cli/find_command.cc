// `find`: settings with which a run is fastest, computed instead of enumerated.
#include <fmt/core.h>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "report/found_stages_report.h"
#include "report/writers.h"

namespace opledger {

/// Runs `find`: finds the layers of each stage, and reports them. A progress line shows the number of evaluated runs.
/// The outcome is infeasible if neither the run nor a found one fits.
Outcome find_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  StagesRequest request;
  request.run = run_request(options, options.arguments);
  const Interrupt interrupt;
  Progress progress;
  request.stop = &interrupt.raised();
  request.progress = [&](std::size_t tried) { progress.show([&] { return fmt::format("{} tried", tried); }); };
  const std::optional<FoundStages> found = find_stages(request, library, diagnostics);
  if (!found) return {};
  Outcome outcome{write(build_report(*found, request), find_format(options.format).value_or(Format::text), options.page), {}};
  outcome.interrupted = found->partial;
  if (found->found.state != FitPoint::State::fits) outcome.infeasible.push_back(found->found.reason);
  return outcome;
}

}  // namespace opledger
