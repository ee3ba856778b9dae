#include "cli/modeline.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "schemas/shipped.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOwnFolder = ".opledger";
constexpr const char* kSchema = "opledger.schema.json";
constexpr const char* kServer = "yaml-language-server:";

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

/// Returns the relative path of the nearest schema in a folder above the document; empty without one.
fs::path own_schema(const std::string& output) {
  std::error_code error;
  const fs::path document = output.empty() || output == "-" ? fs::path("-") : fs::path(output);
  fs::path folder = fs::absolute(document, error).lexically_normal().parent_path(), up;
  for (;;) {
    if (is_file(folder / kOwnFolder / kSchema)) return up / kOwnFolder / kSchema;
    if (folder == folder.parent_path()) return {};
    folder = folder.parent_path();
    up /= "..";
  }
}

fs::path schema_for(const std::string& output) {
  if (const fs::path own = own_schema(output); !own.empty()) return own;
  const fs::path installed = shipped_folder() / "schemas" / kSchema;
  return is_file(installed) ? installed : fs::path();
}

/// Returns whether the language server can read the path; it ends the name at a blank.
bool can_be_named(const std::string& path) {
  return !path.empty() && std::all_of(path.begin(), path.end(), [](char c) { return c > ' ' && c <= '~'; });
}

}  // namespace

std::string with_modeline(std::string text, const std::string& output) {
  const std::string schema = schema_for(output).generic_string();
  if (text.empty() || !can_be_named(schema) || text.find(kServer) != std::string::npos) return text;
  return fmt::format("# {} $schema={}\n", kServer, schema) + text;
}

}  // namespace opledger
