// `import FORMAT FILE`: another tool's document as one of opledger's.
#include <fmt/core.h>

#include <filesystem>
#include <iterator>

#include "base/text.h"
#include "cli/command.h"
#include "import/calculon.h"
#include "import/hf.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

struct ImportFormat {
  std::string_view name;
  std::string_view file;  ///< What is read of a folder; empty: the tool gives out no folders.
  Imported (*import)(const ImportRequest&, Library&, Diagnostics&);
};

constexpr ImportFormat kFormats[] = {{"calculon", "", import_calculon}, {"hf", "config.json", import_hf}};

const ImportFormat* find_import_format(const std::string& name, Diagnostics& diagnostics) {
  std::vector<std::string> names;
  for (const ImportFormat& format : kFormats) {
    if (format.name == name) return &format;
    names.emplace_back(format.name);
  }
  diagnostics.error({}, fmt::format("`{}` is no format that can be imported{}: there is {}", name, suggestion(name, names), join(names, ", ")));
  return nullptr;
}

bool is_folder(const fs::path& path) {
  std::error_code unknown;
  return fs::is_directory(path, unknown);
}

// A folder that is there is meant itself, whatever documents are called like it.
std::string file_of(const ImportFormat& format, const std::string& argument) {
  return !format.file.empty() && is_folder(argument) ? (fs::path(argument) / format.file).string() : argument;
}

// A document is called like its file: the one that is written, else the one that is read, or its folder.
std::string name_of(const Options& options) {
  const bool written = !options.output.empty() && options.output != "-";
  fs::path file = written ? options.output : options.arguments[1];
  if (!written && is_folder(file)) {
    std::error_code unknown;
    return fs::canonical(file, unknown).filename().string();
  }
  if (file.extension() == ".gz") file = file.stem();
  return file.stem().string();
}

}  // namespace

Outcome import_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  const ImportFormat* format = find_import_format(options.arguments[0], diagnostics);
  if (format == nullptr) return {};
  ImportRequest request{file_of(*format, options.arguments[1]), name_of(options), options.mapping};
  request.rules = fs::path(options.import_rules).stem().string();
  request.trained = options.unquantised;
  Imported imported = format->import(request, library, diagnostics);
  Outcome outcome{std::move(imported.text), {}};
  if (!options.import_rules.empty()) outcome.files.emplace_back(options.import_rules, std::move(imported.rules));
  return outcome;
}

}  // namespace opledger
