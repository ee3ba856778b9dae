// `export FORMAT MODEL EXECUTION [SYSTEM]`: a run in the format of another tool.
#include "cli/export_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "base/lists.h"
#include "base/text.h"
#include "import/launch.h"
#include "import/launch_export.h"

namespace opledger {
namespace {

constexpr const char* kTraces = "chakra";

/// Reports options that do not apply to the kind of format. Returns whether there are none.
bool export_options_apply(const Options& options, bool traces, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  const auto refuse = [&](bool is_set, const char* option, const char* why) {
    if (is_set) diagnostics.error({}, fmt::format("`{}`: {}", option, why));
  };
  if (traces) {
    refuse(!options.mapping.empty(), "--mapping", "traces need no mapping");
    refuse(options.arguments.size() < 4, "SYSTEM", "traces need a machine, because they contain durations");
  } else {
    refuse(options.microbatches != 0, "--microbatches", "arguments describe a whole step");
    refuse(!options.detail.empty(), "--detail", "arguments describe a whole step");
  }
  return diagnostics.errors() == errors;
}

bool is_known(const Options& options, Library& library, Diagnostics& diagnostics) {
  const std::string& format = options.arguments[0];
  if (format == kTraces || !options.mapping.empty()) return true;
  std::vector<std::string> names = export_formats(library);
  if (contains(names, format)) return true;
  names.emplace_back(kTraces);
  std::sort(names.begin(), names.end());
  diagnostics.error({}, fmt::format("`{}` is no format that can be exported{}: there is {}", format, suggestion(format, names), join(names, ", ")));
  return false;
}

}  // namespace

Outcome export_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  const std::string& format = options.arguments[0];
  if (!is_known(options, library, diagnostics) || !export_options_apply(options, format == kTraces, diagnostics)) return {};
  if (format == kTraces) return export_chakra(options, library, diagnostics);
  ExportRequest request{format, options.mapping, run_request(options, {options.arguments.begin() + 1, options.arguments.end()})};
  return {export_launch(request, library, diagnostics), {}};
}

}  // namespace opledger
