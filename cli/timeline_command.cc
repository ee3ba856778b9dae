// `timeline`: one simulated step as a table, a trace or a picture.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "cli/command.h"
#include "report/timeline_chrome.h"
#include "report/timeline_perfetto.h"
#include "report/timeline_report.h"
#include "report/timeline_svg.h"
#include "report/writers.h"

namespace opledger {
namespace {

struct Suffix {
  const char *suffix, *format;
};
constexpr Suffix kSuffixes[] = {{".svg", "svg"}, {".json", "chrome"}, {".pftrace", "perfetto"}, {".perfetto-trace", "perfetto"},
                                {".csv", "csv"}, {".md", "markdown"}};

/// Returns the requested format, or else the format of the file's suffix.
std::string format_of(const Options& options) {
  if (options.format != "auto") return options.format;
  std::filesystem::path file = options.output;
  if (file.extension() == ".gz") file = file.stem();
  for (const Suffix& s : kSuffixes) {
    if (file.extension() == s.suffix) return s.format;
  }
  return "text";
}

std::optional<TimelineOptions> timeline_options(const Options& options, Diagnostics& diagnostics) {
  using Ranks = TimelineOptions::Ranks;
  TimelineOptions out;
  const auto word = [&](const char* option, const std::string& requested, const std::vector<std::string>& all) {
    const auto found = std::find(all.begin(), all.end(), requested.empty() ? all[0] : requested);
    if (found == all.end()) diagnostics.error({}, fmt::format("`{}` is one of {}, not `{}`{}", option, join(all, ", "), requested, suggestion(requested, all)));
    return static_cast<std::size_t>(found - all.begin());
  };
  if (options.microbatches < 0) diagnostics.error({}, "`--microbatches` must be at least 0");
  out.microbatches = static_cast<std::size_t>(std::max(0, options.microbatches));
  out.ranks = static_cast<Ranks>(word("--ranks", options.ranks, {"stages", "kinds", "all"}));
  out.operators = word("--detail", options.detail, {"passes", "operators"}) == 1;
  return diagnostics.has_errors() ? std::nullopt : std::optional(out);
}

std::string about(const Options& options, const Run& run) {
  std::vector<std::string> parts = {options.arguments[0], run.execution_name(), options.arguments.size() > 2 ? options.arguments[2] : ""};
  std::erase(parts, "");
  for (const auto& [key, value] : options.overrides) parts.push_back(key + "=" + value);
  return join(parts, " ");
}

}  // namespace

/// Runs `timeline`: simulates one step and writes it as a picture, a trace or a report, by the requested format or the
/// suffix of the output file. Only an accounting with a graph has steps to simulate. A run that violates a constraint
/// is simulated too; the outcome is then infeasible.
Outcome timeline_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  const RunRequest request = run_request(options, options.arguments);
  const std::unique_ptr<Run> run = Run::prepare(request, library, diagnostics);
  if (!run) return {};
  if (!run->has_graph()) {
    diagnostics.error({}, fmt::format("the accounting `{}` counts by formulas alone: there is no step to play", run->accounting()));
    return {};
  }
  const std::vector<Violation> violations = run->violations(diagnostics);
  const std::optional<TimelineOptions> shown = timeline_options(options, diagnostics);
  if (!shown || diagnostics.has_errors()) return {};
  const std::optional<Timeline> played = timeline(*run, *shown, diagnostics);
  if (!played) return {};
  Outcome out{{}, infeasible_lines(violations)};
  const std::string format = format_of(options);
  if (format == "svg") {
    out.text = write_timeline_svg(*played, about(options, *run));
  } else if (format == "chrome") {
    out.text = write_chrome_trace(*played, about(options, *run));
  } else if (format == "perfetto") {
    out.text = write_perfetto_trace(*played);
  } else {
    std::optional<Report> report = build_report(*played, request, *run, diagnostics);
    if (!report || (format == "csv" && !keep_only(shown->operators ? "operators" : "works", *report, diagnostics))) return {};
    out.text = write(*report, find_format(format).value_or(Format::text), options.page);
    if (format == "text" || format == "markdown") out.text = visible_lines(out.text);
  }
  return out;
}

}  // namespace opledger
