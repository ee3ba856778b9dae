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

struct ImportFormat {
  std::string_view name;
  std::string (*import)(const ImportRequest&, Library&, Diagnostics&);
};

constexpr ImportFormat kFormats[] = {{"calculon", import_calculon}, {"hf", import_hf}};

const ImportFormat* find_import_format(const std::string& name, Diagnostics& diagnostics) {
  std::vector<std::string> names;
  for (const ImportFormat& format : kFormats) {
    if (format.name == name) return &format;
    names.emplace_back(format.name);
  }
  diagnostics.error({}, fmt::format("`{}` is no format that can be imported{}: there is {}", name, suggestion(name, names), join(names, ", ")));
  return nullptr;
}

// A document is called like its file: the one that is written, else the one that is read.
std::string name_of(const Options& options) {
  std::filesystem::path file = options.output.empty() || options.output == "-" ? options.arguments[1] : options.output;
  if (file.extension() == ".gz") file = file.stem();
  return file.stem().string();
}

}  // namespace

Outcome import_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  const ImportFormat* format = find_import_format(options.arguments[0], diagnostics);
  if (format == nullptr) return {};
  return {format->import({options.arguments[1], name_of(options), options.mapping}, library, diagnostics), {}};
}

}  // namespace opledger
