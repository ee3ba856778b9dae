// Default folders of documents.
#include <fmt/core.h>

#include <cstdlib>
#ifdef __GLIBC__
#include <dlfcn.h>
#include <link.h>
#endif
#include <string>
#include <system_error>

#include "base/program_file.h"
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

// Returns the path of the shared library that contains this code if another program loaded it; empty if the code is
// part of the program.
fs::path own_module() {
#ifdef __GLIBC__
  static const char kHere = 0;
  Dl_info unused;
  void* loaded = nullptr;
  if (dladdr1(&kHere, &unused, &loaded, RTLD_DL_LINKMAP) != 0 && loaded != nullptr) return static_cast<const link_map*>(loaded)->l_name;
#endif
  return {};
}

// Returns candidate folders of the shipped library, best first; a folder need not exist. The folder next to the program
// comes first because an installed tree may have been moved. If another program loaded this code as a module, the
// folder next to the module takes its place. A Python package contains the documents, or is installed at
// PREFIX/lib/python3/dist-packages, four folders below PREFIX. A program in its build folder uses the source tree. The
// folder of the installation at build time comes last.
std::vector<fs::path> library_folders() {
  std::vector<fs::path> result;
  if (const fs::path module = own_module(); !module.empty()) {
    const fs::path package = module.parent_path();
    result.push_back(package / "documents");
    result.push_back(package.parent_path().parent_path().parent_path().parent_path() / "share" / "opledger");
  } else if (const fs::path program = program_file(); !program.empty()) {
    result.push_back(program.parent_path().parent_path() / "share" / "opledger");
  }
#ifdef OPLEDGER_DATA_DIR_BUILD
  result.emplace_back(OPLEDGER_DATA_DIR_BUILD);
#endif
#ifdef OPLEDGER_DATA_DIR_INSTALL
  result.emplace_back(OPLEDGER_DATA_DIR_INSTALL);
#endif
  return result;
}

}  // namespace

/// Returns the first existing candidate only, since documents of two versions must not mix.
fs::path shipped_folder() {
  for (const fs::path& folder : library_folders()) {
    std::error_code error;
    if (fs::is_directory(folder, error)) return folder;
  }
  return {};
}

fs::path image_file(const fs::path& folder) {
#ifdef OPLEDGER_DATA_DIR_BUILD
  if (folder == OPLEDGER_DATA_DIR_BUILD) return OPLEDGER_IMAGE_BUILD;
#endif
  return folder / "documents.image";
}

std::vector<fs::path> default_search_path() {
  std::vector<fs::path> result;
  add_user_folders(result);
  if (fs::path library = shipped_folder(); !library.empty()) result.push_back(std::move(library));
  return result;
}

std::vector<fs::path> search_path(const std::vector<std::string>& first, const char* word, Diagnostics& diagnostics) {
  std::vector<fs::path> result;
  for (const std::string& folder : first) {
    std::error_code error;
    if (!fs::is_directory(folder, error)) diagnostics.error({}, fmt::format("`{} {}`: there is no such folder", word, folder));
    result.emplace_back(folder);
  }
  for (fs::path& folder : default_search_path()) result.push_back(std::move(folder));
  return result;
}

}  // namespace opledger
