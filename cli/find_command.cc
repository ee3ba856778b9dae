// `find`: settings with which a run is fastest, computed instead of enumerated.
#include <fmt/core.h>

#include <limits>

#include "base/units.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/modeline.h"
#include "cli/progress.h"
#include "expr/parser.h"
#include "report/found_placements_report.h"
#include "report/found_recompute_report.h"
#include "report/found_stages_report.h"
#include "report/writers.h"

namespace opledger {
namespace {

/// Asks one question for settings, with a progress line that shows the number of evaluated runs, and reports the answer.
/// The outcome is infeasible, for the reason that `problem` returns, if neither the run nor a found one fits.
template <class Request, class Find, class Problem>
auto answer(Request& request, Find&& find, Problem&& problem, const Options& options, Library& library, Diagnostics& diagnostics, Outcome& outcome) {
  const Interrupt interrupt;
  Progress progress;
  request.stop = &interrupt.raised();
  request.progress = [&](std::size_t tried) { progress.show([&] { return fmt::format("{} tried", tried); }); };
  auto found = find(request, library, diagnostics);
  if (!found) return found;
  outcome.text = write(build_report(*found, request), find_format(options.format).value_or(Format::text), options.page);
  outcome.interrupted = found->partial;
  if (!found->found.fits()) outcome.infeasible.push_back(problem(*found));
  return found;
}

constexpr const char* kAxesOfPlacements = "`--axes` needs `--find placements`";

/// Reads a number of bytes, or `none` as infinity. Empty if the option is absent or, with an error, for any other text.
std::optional<double> read_budget(const std::string& text, Diagnostics& diagnostics) {
  if (text.empty()) return std::nullopt;
  if (text == "none") return std::numeric_limits<double>::infinity();
  double value = 0;
  Dimension dimension;
  if (parse_quantity(text, value, dimension) && dimension == parse_unit("byte")->dimension && value > 0) return value;
  diagnostics.error({}, fmt::format("`--memory-budget`: expected bytes with a unit, such as `60 GiB`, or `none`, found `{}`", text));
  return std::nullopt;
}

/// Asks a question whose answer is a rule document, and writes the document if a file is named.
template <class Request, class Find>
Outcome find_document(Request request, Find&& find, const Options& options, Library& library, Diagnostics& diagnostics) {
  request.run = run_request(options, options.arguments);
  request.budget = read_budget(options.memory_budget, diagnostics);
  request.baselines = options.baselines;
  Outcome outcome;
  if (diagnostics.has_errors()) return outcome;
  const auto found = answer(
      request, find, [](const auto& out) { return out.problem; }, options, library, diagnostics, outcome);
  if (!found || options.write.empty()) return outcome;
  if (found->document.empty()) {
    diagnostics.warning({}, fmt::format("`{}` is not written: no rules were found that are better than those of the run", options.write));
  } else {
    outcome.files.emplace_back(options.write, with_modeline(found->document, options.write));
  }
  return outcome;
}

Outcome find_recompute_command(const Options& options, Library& library, Diagnostics& diagnostics) {
  if (!options.axes.empty()) diagnostics.error({}, kAxesOfPlacements);
  return find_document(RecomputeRequest(), find_recompute, options, library, diagnostics);
}

Outcome find_placements_command(const Options& options, Library& library, Diagnostics& diagnostics) {
  PlacementsRequest request;
  request.axes = options.axes;
  return find_document(std::move(request), find_placements, options, library, diagnostics);
}

Outcome find_stages_command(const Options& options, Library& library, Diagnostics& diagnostics) {
  StagesRequest request;
  request.run = run_request(options, options.arguments);
  Outcome outcome;
  if (!options.axes.empty()) diagnostics.error({}, kAxesOfPlacements);
  for (const auto& [option, is_given] : {
           std::pair("--memory-budget", !options.memory_budget.empty()),
           {"--baselines", !options.baselines.empty()},
           {"--write", !options.write.empty()},
       }) {
    if (is_given)
      diagnostics.error({}, fmt::format("`{}` needs `--find placements` or `--find recompute`; the layers of stages are settings of the execution", option));
  }
  if (!diagnostics.has_errors())
    answer(
        request, find_stages, [](const FoundStages& out) { return out.found.reason; }, options, library, diagnostics, outcome);
  return outcome;
}

}  // namespace

/// Runs `find`: finds the layers of each stage, the recomputed nodes, or the placements.
Outcome find_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  if (options.find.empty() || options.find == "stages") return find_stages_command(options, library, diagnostics);
  if (options.find == "recompute") return find_recompute_command(options, library, diagnostics);
  if (options.find == "placements") return find_placements_command(options, library, diagnostics);
  diagnostics.error({}, fmt::format("`--find` takes `stages`, `recompute` or `placements`, one at a time, found `{}`", options.find));
  return {};
}

}  // namespace opledger
