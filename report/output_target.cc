#include "report/output_target.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr int kOrdinaryMode = 0666;  // The permissions before the user's mask applies.

fs::path folder_of(const OutputTarget& target) { return target.path.has_parent_path() ? target.path.parent_path() : fs::path("."); }

fs::path temporary_of(const OutputTarget& target) { return folder_of(target) / fmt::format(".{}.{}.part", target.path.filename().string(), ::getpid()); }

// Synchronizes the folder, so that the rename survives a crash. Some file systems do not support this; the file itself
// is complete in either case.
void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

std::string reason(int error) { return std::generic_category().message(error); }

/// Finds the file that a path means, and whether it can be replaced. Links are resolved, so that renaming replaces the
/// linked file and not the link. A target that exists and is no regular file, such as a pipe or device, is written in
/// place. An empty path, a folder, and a file without write permission are problems; rename would replace even such a
/// file.
OutputTarget output_target(const std::string& path) {
  OutputTarget out;
  std::error_code error;
  out.path = fs::weakly_canonical(path, error);
  if (error) out.path = path;
  struct stat old = {};
  out.exists = ::stat(out.path.c_str(), &old) == 0;
  out.mode = old.st_mode & 07777;
  out.in_place = out.exists && !S_ISREG(old.st_mode);
  if (path.empty())
    out.problem = "the name is empty";
  else if (out.exists && S_ISDIR(old.st_mode))
    out.problem = reason(EISDIR);
  else if (out.exists && S_ISREG(old.st_mode) && ::access(out.path.c_str(), W_OK) != 0)
    out.problem = reason(errno);
  return out;
}

int open_temporary(const OutputTarget& target, std::string& problem) {
  const fs::path temporary = temporary_of(target);
  Unfinished unfinished;
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOrdinaryMode);
  if (descriptor < 0) problem = reason(errno);
  // Wrong permissions are accepted, because the content matters more.
  if (descriptor >= 0 && target.exists && ::fchmod(descriptor, target.mode) != 0) errno = 0;
  if (descriptor >= 0) unfinished.add(temporary);
  return descriptor;
}

/// Synchronizing before the rename ensures that a crash at any step leaves either the old or the new file.
std::string close_temporary(int descriptor) {
  std::string problem;
  if (::fsync(descriptor) != 0) problem = reason(errno);
  // Some file systems report a full disk only when closing.
  if (::close(descriptor) != 0 && problem.empty()) problem = reason(errno);
  return problem;
}

std::string rename_temporary(const OutputTarget& target, const fs::path& name, Unfinished& unfinished) {
  const fs::path temporary = temporary_of(target);
  if (::rename(temporary.c_str(), name.c_str()) != 0) {
    std::string problem = reason(errno);
    remove_temporary(target, unfinished);
    return problem;
  }
  unfinished.remove(temporary);
  sync_folder(folder_of(target));
  return {};
}

void remove_temporary(const OutputTarget& target, Unfinished& unfinished) {
  const fs::path temporary = temporary_of(target);
  if (!target.in_place) ::unlink(temporary.c_str());
  unfinished.remove(temporary);
}

void remove_temporary(const OutputTarget& target) {
  Unfinished unfinished;
  remove_temporary(target, unfinished);
}

}  // namespace opledger
