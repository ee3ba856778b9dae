#include "search/processes/open_module.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <filesystem>
#include <system_error>
#include <vector>

#include "base/lists.h"
#include "base/program_file.h"
#include "base/text.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModule = "libopledger_mpi.so";

/// Returns the folders that may have the library, best first. OPLEDGER_LIBRARY_FOLDERS has the names of library folders
/// (`lib`, that of the build, Debian's with the architecture), and OPLEDGER_LIBRARY_FOLDER the installation's at build
/// time.
std::vector<fs::path> module_folders() {
  std::vector<fs::path> out;
  const auto add = [&](const fs::path& folder) {
    if (const fs::path normal = folder.lexically_normal(); !contains(out, normal)) out.push_back(normal);
  };
  if (const fs::path program = program_file(); !program.empty()) {
    add(program.parent_path());
    for (const std::string& name : split(OPLEDGER_LIBRARY_FOLDERS, ':')) add(program.parent_path().parent_path() / name / "opledger");
  }
  add(fs::path(OPLEDGER_LIBRARY_FOLDER) / "opledger");
  return out;
}

/// Returns the loader's reason for its last failure, without the path of the library at its beginning.
std::string loader_reason(const std::string& path) {
  const char* const text = ::dlerror();
  const std::string reason = text != nullptr ? text : "unknown reason";
  return reason.starts_with(path + ": ") ? reason.substr(path.size() + 2) : reason;
}

/// Loads the library from a file.
OpenedModule open_file(const std::string& path) {
  void* const opened = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (opened == nullptr) return {nullptr, fmt::format("`{}` can't be loaded ({})", path, loader_reason(path))};
  const auto start = reinterpret_cast<const RanksModule* (*)()>(::dlsym(opened, "opledger_ranks"));
  if (start == nullptr) return {nullptr, fmt::format("`{}` is not the module of opledger (it has no `opledger_ranks`)", path)};
  return {start, {}};
}

std::string not_found(const std::vector<fs::path>& folders) {
  if (!OPLEDGER_HAS_MPI) return "this program was built without MPI (install MPI and build it again)";
  std::vector<std::string> names;
  for (const fs::path& folder : folders) names.push_back(folder);
  return fmt::format("`{}` is missing (install the package opledger-mpi; searched: {})", kModule, join(names, ", "));
}

}  // namespace

OpenedModule open_module() {
  const std::vector<fs::path> folders = module_folders();
  OpenedModule first;
  for (const fs::path& folder : folders) {
    std::error_code error;
    if (!fs::exists(folder / kModule, error)) continue;
    OpenedModule opened = open_file(folder / kModule);
    if (opened.start != nullptr) return opened;
    if (first.problem.empty()) first = std::move(opened);
  }
  if (first.problem.empty()) first.problem = not_found(folders);
  return first;
}

}  // namespace opledger
