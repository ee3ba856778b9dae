#include "base/text.h"
#include "cli/command.h"
#include "measured/accuracy.h"
#include "report/validation_report.h"
#include "report/writers.h"

namespace opledger {
namespace {

/// Returns the named validation, or else all validations of the library.
std::vector<const Document*> load_validations(const Options& options, Library& library, Diagnostics& diagnostics) {
  std::vector<const Document*> result;
  for (const std::string& name : options.arguments.empty() ? library.names("validation") : options.arguments) {
    if (const Document* document = library.load(name, {"validation"}, diagnostics)) result.push_back(document);
  }
  return result;
}

// Joins several results; programs receive a JSON list.
std::string together(const std::vector<std::string>& texts, const std::string& format) {
  if (texts.size() == 1) return texts[0];
  return format == "json" ? "[\n" + join(texts, ",\n") + "]\n" : join(texts, "\n");
}

}  // namespace

/// Runs `validation`: compares published numbers with computed ones, for each validation document. Each document gives
/// a report, or with `--summary` one report has all error statistics; as a document (`-o FILE.yaml`) it has only errors
/// of runs to which no constant was fitted. Errors above the limits of a document are failures.
Outcome validation_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  Outcome outcome;
  if (options.summary && options.output.ends_with(".yaml")) {
    const auto groups = measured_accuracy(load_validations(options, library, diagnostics), library, diagnostics);
    if (groups) outcome.text = accuracy_document(*groups);
    return outcome;
  }
  std::vector<std::string> texts;
  std::vector<Validation> all;
  const auto shown = [&](const Report& report) { return write(report, find_format(options.format).value_or(Format::text), options.page); };
  for (const Document* document : load_validations(options, library, diagnostics)) {
    std::optional<Validation> validation = evaluate_validation(*document, run_request(options, {}), library, diagnostics);
    if (!validation) continue;
    if (!options.summary) texts.push_back(shown(build_report(*validation)));
    for (std::string& line : exceeded(*validation)) outcome.failures.push_back(std::move(line));
    all.push_back(std::move(*validation));
  }
  outcome.text = options.summary ? shown(summary_of(all)) : together(texts, options.format);
  return outcome;
}

}  // namespace opledger
