// `compare`: one run as several accountings count it.
#include <fmt/core.h>

#include <algorithm>

#include "cli/command.h"
#include "report/compare_report.h"
#include "report/writers.h"
#include "run/comparison.h"

namespace opledger {
namespace {

/// Those that were named, all of which must answer; or all that can.
std::vector<std::string> asked(const Run& run, const Options& options, Library& library, Diagnostics& diagnostics) {
  if (options.with.empty()) {
    std::vector<std::string> all = restating(run, library);
    if (all.empty())
      diagnostics.error({}, fmt::format("no accounting says how a run of `{}` is asked of it (`compares`): name some by `--with`", run.accounting()));
    return all;
  }
  std::vector<std::string> out;
  for (const std::string& name : options.with) {
    const Document* document = library.load(name, {"accounting"}, diagnostics);
    if (document != nullptr && document == run.accounting_document())
      diagnostics.error({}, fmt::format("`{}` is what the run is counted in already", name));
    else if (std::find(out.begin(), out.end(), name) == out.end())
      out.push_back(name);
  }
  return out;
}

}  // namespace

Outcome compare_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  Diagnostics own;
  const std::unique_ptr<Run> run = Run::prepare(run_request(options, options.arguments), library, own);
  Diagnostics told = own;
  diagnostics.append(std::move(told));
  if (run == nullptr) return {};
  const std::vector<std::string> accountings = asked(*run, options, library, diagnostics);
  if (diagnostics.failed()) return {};
  const RunComparison comparison = compare_accountings(*run, own, accountings, library);
  for (const auto& left : comparison.left_out) {
    if (!options.with.empty()) diagnostics.error({}, fmt::format("the accounting `{}` can't be asked of this run: {}", left->accounting, left->why));
  }
  std::deque<std::string> texts;
  Report report = build_report(comparison, *run, texts);
  report.violations = run->violations(own);
  return {write(report, find_format(options.format).value_or(Format::text)), infeasible_lines(report.violations)};
}

}  // namespace opledger
