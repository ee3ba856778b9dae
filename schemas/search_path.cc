// Where documents are looked for when the user says nothing.
#include <cstdlib>
#include <string>
#include <system_error>

#include "base/text.h"
#include "schemas/document.h"
#include "schemas/library.h"
#include "schemas/shipped.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

void add_user_folders(std::vector<fs::path>& result) {
  for (const std::string& folder : split(environment("OPLEDGER_PATH"), ':')) {
    if (!folder.empty()) result.emplace_back(folder);
  }
  const std::string config = environment("XDG_CONFIG_HOME");
  const std::string home = environment("HOME");
  if (!config.empty()) {
    result.push_back(fs::path(config) / "opledger");
  } else if (!home.empty()) {
    result.push_back(fs::path(home) / ".config" / "opledger");
  }
}

// Next to the program first: an installed tree may have been moved. A program that runs from its build folder has its source tree.
std::vector<fs::path> library_folders() {
  std::vector<fs::path> result;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) result.push_back(program.parent_path().parent_path() / "share" / "opledger");
#ifdef OPLEDGER_DATA_DIR_BUILD
  result.emplace_back(OPLEDGER_DATA_DIR_BUILD);
#endif
#ifdef OPLEDGER_DATA_DIR_INSTALL
  result.emplace_back(OPLEDGER_DATA_DIR_INSTALL);
#endif
  return result;
}

}  // namespace

/// Only one: documents of two versions don't mix. Empty: there is none.
fs::path shipped_folder() {
  for (const fs::path& folder : library_folders()) {
    std::error_code error;
    if (fs::is_directory(folder, error)) return folder;
  }
  return {};
}

std::vector<fs::path> default_search_path() {
  std::vector<fs::path> result;
  add_user_folders(result);
  if (fs::path library = shipped_folder(); !library.empty()) result.push_back(std::move(library));
  return result;
}

bool is_shipped(const Document& document) {
  static const std::string kFolder = canonical_path(shipped_folder()).string() + "/";
  return document.path.native().compare(0, kFolder.size(), kFolder) == 0;
}

}  // namespace opledger
