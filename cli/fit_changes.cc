// `fit --change`: the changes of a document that make a run fit, ranked by speed.
#include <fmt/core.h>

#include "cli/fit_command.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "report/changes_report.h"
#include "report/writers.h"

namespace opledger {
namespace {

/// Returns the document of `--change NAME`; without a name, the first one that states `default: true`. Null, with an
/// error, without one.
const Document* find_changes(const std::string& name, Library& library, Diagnostics& diagnostics) {
  if (!name.empty()) return library.load(name, {"changes"}, diagnostics);
  for (const std::string& known : library.names("changes")) {
    const Document* const document = library.load(known, {"changes"}, diagnostics);
    const Datum* const value = document != nullptr ? document->root.find("default") : nullptr;
    if (value != nullptr && value->boolean().value_or(false)) return document;
  }
  diagnostics.error({}, "no document of kind `changes` is the default: choose one by `--change NAME` (`opledger list changes`)");
  return nullptr;
}

void check_options(const Options& options, Diagnostics& diagnostics) {
  const std::pair<const char*, bool> others[] = {{"--vary", !options.vary.empty()}, {"--step", !options.step.empty()}, {"--most", !options.most.empty()}};
  for (const auto& [name, is_present] : others) {
    if (is_present) diagnostics.error({}, fmt::format("`{}` and `--change` ask two questions: leave out one of them", name));
  }
}

}  // namespace

Outcome fit_changes(const Options& options, Library& library, Diagnostics& diagnostics) {
  check_options(options, diagnostics);
  if (diagnostics.has_errors()) return {};
  ChangesRequest request;
  request.run = run_request(options, options.arguments);
  request.document = find_changes(*options.change, library, diagnostics);
  if (request.document == nullptr) return {};
  const Interrupt interrupt;
  Progress progress;
  request.jobs = static_cast<std::size_t>(options.jobs);
  request.stop = &interrupt.raised();
  request.progress = [&](std::size_t tried) { progress.show([&] { return fmt::format("{} tried", tried); }); };
  const std::optional<ChangesAnswer> answer = try_changes(request, library, diagnostics);
  if (!answer) return {};
  const Format format = find_format(options.format).value_or(Format::text);
  Outcome outcome{format == Format::text ? write_changes_text(*answer, options.page) : write(build_report(*answer, request), format, options.page), {}};
  outcome.interrupted = answer->partial;
  if (answer->partial) diagnostics.warning({}, "interrupted: not every change was tried");
  if (!answer->any_fits() && !answer->partial) outcome.infeasible.push_back("neither the run nor a change of it fits");
  return outcome;
}

}  // namespace opledger
