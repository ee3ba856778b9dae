// `import FORMAT FILE`: converts a document of another tool to opledger documents.
#include <fmt/core.h>

#include <filesystem>
#include <iterator>

#include "base/text.h"
#include "cli/command.h"
#include "cli/import_many.h"
#include "cli/modeline.h"
#include "import/calculon.h"
#include "import/hf.h"
#include "import/launch.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

struct ImportFormat {
  std::string_view name;
  std::string_view file;  ///< File to read in a folder; empty if the tool writes no folders.
  ImportedDocuments (*import)(const ImportRequest&, Library&, Diagnostics&);
};

constexpr ImportFormat kFormats[] = {{"calculon", "", import_calculon}, {"hf", "config.json", import_hf}};

/// Returns the built-in format of a name; null for a format of a mapping. Reports an error for an unknown format.
const ImportFormat* find_import_format(const std::string& name, Library& library, Diagnostics& diagnostics) {
  std::vector<std::string> names;
  for (const ImportFormat& format : kFormats) {
    if (format.name == name) return &format;
    names.emplace_back(format.name);
  }
  for (std::string& other : launch_formats(library)) {
    if (other == name) return nullptr;
    names.push_back(std::move(other));
  }
  diagnostics.error({}, fmt::format("`{}` is no format that can be imported{}: there is {}", name, suggestion(name, names), join(names, ", ")));
  return nullptr;
}

bool is_folder(const fs::path& path) {
  std::error_code unknown;
  return fs::is_directory(path, unknown);
}

// Returns the file to import. An existing folder always means the format's file inside.
std::string file_of(const ImportFormat& format, const std::string& argument) {
  return !format.file.empty() && is_folder(argument) ? (fs::path(argument) / format.file).string() : argument;
}

// Returns the name of the document: the stem of the output file, else of the input file, or the input folder's name.
std::string name_of(const Options& options) {
  const bool has_output = !options.output.empty() && options.output != "-";
  fs::path file = has_output ? options.output : options.arguments[1];
  if (!has_output && is_folder(file)) {
    std::error_code unknown;
    return fs::canonical(file, unknown).filename().string();
  }
  if (file.extension() == ".gz") file = file.stem();
  return file.stem().string();
}

/// Reports options and arguments that do not apply to a format. There are two kinds. A launch format (`is_launch`)
/// describes arguments of a framework: its file may state only differences from a base, and gives a model and an
/// execution. Any other format describes one complete document. Returns true without errors.
bool import_options_apply(const Options& options, bool is_launch, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  const auto refuse = [&](bool is_set, const char* option, const char* why) {
    if (is_set) diagnostics.error({}, fmt::format("`{}`: {}", option, why));
  };
  if (is_launch) {
    refuse(!options.output.empty() && options.output == options.import_execution, "--execution", "name another file: -o writes the model to this one");
    refuse(!options.import_rules.empty(), "--rules", "this format does not describe quantized weights");
    refuse(options.unquantized, "--unquantized", "this format does not describe quantized weights");
    refuse(options.arguments.size() > 2 && options.base.empty(), options.arguments.back().c_str(),
           "an execution is changed together with its model: --base MODEL");
    refuse(options.arguments.size() > 3, options.arguments.back().c_str(), "a script is imported alone");
  } else {
    refuse(!options.overrides.empty(), "--set", "the file is complete; change the imported run with `eval --set`");
    refuse(!options.import_execution.empty(), "--execution", "this format has only one document: -o writes it");
    refuse(!options.base.empty(), "--base", "the file is complete");
  }
  return diagnostics.errors() == errors;
}

/// Distributes the imported documents over standard output and files. `--output` gets the model, or the execution if
/// the file describes no model; `--execution` and `--rules` name files of their own. Without `--execution`, standard
/// output gets both documents, separated by `---`; a file gets only the model, with a warning. Each document gets a
/// first line that names its schema for editors, if a schema is found (modeline.h).
Outcome outcome_of(ImportedDocuments imported, const Options& options, Diagnostics& diagnostics) {
  const bool shown = options.output.empty() || options.output == "-";
  Outcome outcome;
  if (!imported.text.empty()) outcome.text = with_modeline(std::move(imported.text), options.output);
  if (!options.import_rules.empty()) outcome.files.emplace_back(options.import_rules, with_modeline(std::move(imported.rules), options.import_rules));
  if (imported.execution.empty()) return outcome;
  if (!options.import_execution.empty()) {
    outcome.files.emplace_back(options.import_execution, with_modeline(std::move(imported.execution), options.import_execution));
  } else if (outcome.text.empty()) {
    outcome.text = with_modeline(std::move(imported.execution), options.output);
  } else if (shown) {
    outcome.text += "---\n" + with_modeline(std::move(imported.execution), options.output);
  } else {
    diagnostics.warning({}, "only the model is written; the file also describes an execution: `--execution FILE` writes it");
  }
  return outcome;
}

}  // namespace

Outcome import_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  const std::string& format_name = options.arguments[0];
  const ImportFormat* format = find_import_format(format_name, library, diagnostics);
  if (diagnostics.has_errors() || !import_options_apply(options, format == nullptr, diagnostics)) return {};
  const bool has_several = format != nullptr && options.arguments.size() > 2;
  if (!has_several && options.format != "text") {
    diagnostics.error({}, "`--format`: only the table of several files has formats");
    return {};
  }
  if (has_several) return import_many({options.arguments.begin() + 1, options.arguments.end()}, format->file, format->import, options, library, diagnostics);
  ImportRequest request{format != nullptr ? file_of(*format, options.arguments[1]) : options.arguments[1], name_of(options), options.mapping};
  request.rules = fs::path(options.import_rules).stem().string();
  request.trained = options.unquantized;
  request.settings = options.overrides;
  request.execution = options.import_execution.empty() ? request.name : fs::path(options.import_execution).stem().string();
  request.base_model = options.base;
  if (options.arguments.size() > 2) request.base_execution = options.arguments[2];
  ImportedDocuments imported = format != nullptr ? format->import(request, library, diagnostics) : import_launch(format_name, request, library, diagnostics);
  return outcome_of(std::move(imported), options, diagnostics);
}

}  // namespace opledger
