// `compare`: one run in several accountings.
#include <fmt/core.h>

#include "base/text.h"
#include "cli/command.h"
#include "compare/comparison.h"
#include "report/compare_report.h"
#include "report/writers.h"

namespace opledger {
namespace {

/// Returns every accounting that can read the run. Unreadable accountings are listed with the result, because one
/// invalid document must not hide the others.
Translations all_possible(const Run& run, Library& library, Diagnostics& diagnostics) {
  Translations all = find_translations(run, library);
  if (!all.names.empty()) return all;
  std::vector<std::string> sources;
  for (const std::string& name : all.sources) sources.push_back("`" + name + "`");
  const std::string others = sources.empty() ? "" : fmt::format(", only from runs of {}", join(sources, ", "));
  diagnostics.error({}, fmt::format("no accounting takes its inputs from a run of `{}` (`compares`){}: name some with `--with`", run.accounting(), others));
  return all;
}

/// Returns the accountings named by `--with`, each of which must succeed; without the option, every possible
/// accounting.
Translations requested_accountings(const Run& run, const Options& options, Library& library, Diagnostics& diagnostics) {
  if (options.with.empty()) return all_possible(run, library, diagnostics);
  Translations out;
  for (const std::string& name : options.with) {
    const Document* document = library.load(name, {"accounting"}, diagnostics);
    if (document != nullptr && document == run.accounting_document())
      diagnostics.error({}, fmt::format("`{}` is the accounting of the run itself: name another one", name));
    else if (!contains(out.names, name))
      out.names.push_back(name);
  }
  return out;
}

}  // namespace

/// Runs `compare`: evaluates the run in its own accounting and in others, whose inputs are translated from it, and
/// reports one column for each. The others are those of `--with`, or all that can read the run. An accounting that
/// can't express the run is listed in the report; it is an error only if `--with` names it.
Outcome compare_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  const std::unique_ptr<Run> run = Run::prepare(run_request(options, options.arguments), library, diagnostics);
  if (run == nullptr) {
    if (!options.accounting.empty())
      diagnostics.error(
          {}, fmt::format("`--accounting {0}` is the accounting of the run itself, which has failed: `--with {0}` compares with it", options.accounting));
    return {};
  }
  const Translations accountings = requested_accountings(*run, options, library, diagnostics);
  if (diagnostics.has_errors()) return {};
  RunComparison comparison = compare_accountings(*run, accountings.names, library);
  for (const auto& [name, why] : accountings.unreadable) {
    auto left = std::make_unique<TranslatedRun>();
    left->accounting = name, left->why = why;
    comparison.left_out.push_back(std::move(left));
  }
  for (const auto& left : comparison.left_out) {
    if (!options.with.empty()) diagnostics.error({}, fmt::format("the accounting `{}` can't express this run: {}", left->accounting, left->why));
  }
  Report report = build_report(comparison, *run);
  report.violations = run->violations(diagnostics);
  return {write(report, find_format(options.format).value_or(Format::text), options.page), infeasible_lines(report.violations)};
}

}  // namespace opledger
