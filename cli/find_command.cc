// `find`: settings with which a run is fastest, computed instead of enumerated.
#include <fmt/core.h>

#include <filesystem>
#include <limits>

#include "base/text.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/found_files.h"
#include "cli/interrupt.h"
#include "cli/modeline.h"
#include "cli/progress.h"
#include "cli/report_outcome.h"
#include "expr/parser.h"
#include "report/found_placements_report.h"
#include "report/found_recompute_report.h"
#include "report/found_stages_report.h"
#include "report/found_together_report.h"
#include "report/writers.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

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

/// Finds a rule document, and writes it if a file is named.
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
    const std::string& best = found->found.rules;
    diagnostics.warning(
        {}, fmt::format("`{}` is not written: no found rules are better than {}", options.write, best.empty() ? "the run itself" : "`" + best + "`"));
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
  request.budget = read_budget(options.memory_budget, diagnostics);
  Outcome outcome;
  if (!options.axes.empty()) diagnostics.error({}, kAxesOfPlacements);
  for (const auto& [option, is_given] : {std::pair("--baselines", !options.baselines.empty()), {"--write", !options.write.empty()}}) {
    if (is_given)
      diagnostics.error({}, fmt::format("`{}` needs `--find placements` or `--find recompute`; the layers of stages are settings of the execution", option));
  }
  if (!diagnostics.has_errors())
    answer(
        request, find_stages, [](const FoundStages& out) { return out.found.reason; }, options, library, diagnostics, outcome);
  return outcome;
}

/// Finds several parts, and writes the found run as an execution, beside its documents.
Outcome find_together_command(std::vector<FindPart> parts, const Options& options, Library& library, Diagnostics& diagnostics) {
  TogetherRequest request;
  request.run = run_request(options, options.arguments);
  request.parts = std::move(parts);
  request.axes = options.axes;
  request.budget = read_budget(options.memory_budget, diagnostics);
  Outcome outcome;
  if (!options.axes.empty() && !contains(request.parts, FindPart::placements)) diagnostics.error({}, kAxesOfPlacements);
  if (!options.baselines.empty()) diagnostics.error({}, "`--baselines` compares with documents for one part: name one in `--find`");
  if (!options.write.empty() && !names_folder(options.write))
    diagnostics.error({}, fmt::format("`--write {}`: several parts are an execution and its documents, which go to a folder: `--write {}/`", options.write,
                                      fs::path(options.write).replace_extension().string()));
  if (diagnostics.has_errors()) return outcome;
  const auto found = answer(
      request, find_together, [](const FoundTogether& out) { return out.problem; }, options, library, diagnostics, outcome);
  if (!found) return outcome;
  for (const auto& [part, reason] : found->refused)
    diagnostics.warning({}, fmt::format("no {} were found: {}", kFindParts[static_cast<std::size_t>(part)], reason));
  if (options.write.empty()) return outcome;
  const Document* const execution = library.load(request.run.execution, {"execution"}, diagnostics);
  if (execution == nullptr) return outcome;
  const std::string head =
      fmt::format("Found for {}: a step of {}, {} on a rank.", request.run.execution, human(found->found.step), human(found->found.memory));
  outcome.files = found_files(*found, request.run, *execution, (fs::path(options.write) / "execution.yaml").string(), "", head);
  return outcome;
}

}  // namespace

/// Runs `find`: finds the layers of each stage, the recomputed nodes, the placements, or several of these.
Outcome find_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  const std::vector<FindPart> parts = find_parts(options.find.empty() ? "stages" : options.find, diagnostics);
  if (parts.empty()) return {};
  if (parts.size() > 1) return find_together_command(parts, options, library, diagnostics);
  if (parts.front() == FindPart::stages) return find_stages_command(options, library, diagnostics);
  if (parts.front() == FindPart::recompute) return find_recompute_command(options, library, diagnostics);
  return find_placements_command(options, library, diagnostics);
}

}  // namespace opledger
