// `schema [KIND]`: JSON Schema of documents for editors.
#include <fmt/core.h>

#include <filesystem>

#include "base/text.h"
#include "cli/command.h"
#include "report/editor_schema.h"
#include "schemas/kinds.h"

namespace opledger {
namespace {

std::string path_in(const Options& options, const std::string& name) { return (std::filesystem::path(options.output) / (name + ".schema.json")).string(); }

bool good_request(const Options& options, Diagnostics& diagnostics) {
  if (!options.arguments.empty() && find_kind(options.arguments[0]) == nullptr) {
    const std::vector<std::string> kinds = kind_names();
    diagnostics.error(
        {}, fmt::format("`{}` is no kind of document{}: there are {}", options.arguments[0], suggestion(options.arguments[0], kinds), join(kinds, ", ")));
  }
  if (options.all && !options.arguments.empty()) diagnostics.error({}, fmt::format("`--all` covers every kind: leave out `{}`", options.arguments[0]));
  if (options.all && (options.output.empty() || options.output == "-"))
    diagnostics.error({}, "`--all` writes several files: `-o FOLDER` says where, such as `-o .opledger`");
  return !diagnostics.has_errors();
}

}  // namespace

/// Runs `schema`: returns the JSON Schema of one kind of document, or of all kinds, as text. With `--all`, the schema
/// of all kinds and a schema for each kind are written into the folder `-o`, and the text is a summary. The schema of
/// all kinds comes first and reports every problem; messages of the others would repeat it.
Outcome schema_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  if (!good_request(options, diagnostics)) return {};
  EditorSchemaRequest request{options.arguments.empty() ? kind_names() : options.arguments, options.accounting, options.library};
  const std::optional<std::string> text = editor_schema(request, library, diagnostics);
  if (!text) return {};
  if (!options.all) return {*text, {}};
  Outcome outcome;
  outcome.wrote_output = true;
  outcome.files.emplace_back(path_in(options, "opledger"), *text);
  for (const std::string& kind : kind_names()) {
    request.kinds = {kind};
    Diagnostics ignored;
    outcome.files.emplace_back(path_in(options, kind), editor_schema(request, library, ignored).value_or(""));
  }
  outcome.text = fmt::format("{}: {} schemas; of all kinds together: {}\n", options.output, outcome.files.size(), outcome.files[0].first);
  return outcome;
}

}  // namespace opledger
