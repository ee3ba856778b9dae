// `calibrate`: fits constants of a system or a stack to measured times.
#include <fmt/core.h>

#include <filesystem>

#include "cli/command.h"
#include "cli/modeline.h"
#include "measured/corrections.h"
#include "report/calibration_report.h"
#include "report/writers.h"
#include "schemas/field_path.h"
#include "schemas/yaml_text.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

CalibrationRequest calibration_request(const Options& options, Diagnostics& diagnostics) {
  CalibrationRequest out;
  out.of = options.arguments[0];
  out.measured = options.measured;
  out.open = options.open;
  out.check = options.check;
  if (out.measured.empty())
    diagnostics.error({},
                      "`calibrate` needs `--measured NAME=FILE`: a document of kind measurements (`opledger list measurements`), and a table of its rows; of a "
                      "stack `--measured runs=VALIDATION`");
  if (out.check && !options.output.empty()) diagnostics.error({}, "`--check` fits nothing, so there is nothing to write to `-o`");
  return out;
}

/// Returns the name of the fitted document, the stem of its file. Documents are found by the names of their files.
std::string name_of(const std::string& output, const Document& document) {
  fs::path file(output);
  if (file.extension() == ".gz") file = file.stem();
  const std::string stem = file.stem().string();
  return output == "-" || stem.empty() ? document.name : stem;
}

/// Removes the corrections that a document in the folder of `file` would not find, with a warning for each.
Datum with_found_corrections(const Datum& system, const fs::path& file, Library& library, Diagnostics& diagnostics) {
  const Datum* named = system.find(kCorrections);
  if (named == nullptr || !named->is_list()) return system;
  std::vector<Datum> found;
  for (const Datum& name : named->items()) {
    Diagnostics ignored;
    if (library.load(name.text(), {"measurements"}, ignored, name.span(), fs::absolute(file)) != nullptr)
      found.push_back(name);
    else
      diagnostics.warning(name.span(), fmt::format("`{}` is not found from the folder of `{}`, which therefore does not name it", name.text(), file.string()));
  }
  return with_field(system, {kCorrections}, Datum::list(std::move(found), named->span()));
}

}  // namespace

/// Runs `calibrate`: fits constants to measured times, and reports them. With `-o`, the document with fitted constants
/// is written, under the name of its file; the original stays unchanged. Measured corrections that the new file's
/// folder could not find are removed from it. `-o -` writes the document in place of the report; a file is written in
/// addition to the report.
Outcome calibrate_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  const CalibrationRequest request = calibration_request(options, diagnostics);
  if (diagnostics.has_errors()) return {};
  const std::optional<Calibration> found = calibrate(request, library, diagnostics);
  if (!found) return {};
  Outcome outcome{write(build_report(*found, request), find_format(options.format).value_or(Format::text), options.page), {}};
  if (options.output.empty()) return outcome;
  const Datum fitted = calibrated_document(*found, name_of(options.output, *found->document));
  const std::string text = with_modeline(yaml_block(with_found_corrections(fitted, options.output, library, diagnostics)), options.output);
  if (options.output == "-") {
    outcome.text = text;
    return outcome;
  }
  outcome.files.emplace_back(options.output, text);
  outcome.wrote_output = true;
  return outcome;
}

}  // namespace opledger
