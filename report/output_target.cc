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

constexpr int kOrdinaryMode = 0666;  // less the user's mask

fs::path folder_of(const OutputTarget& target) { return target.path.has_parent_path() ? target.path.parent_path() : fs::path("."); }

fs::path temporary_of(const OutputTarget& target) { return folder_of(target) / fmt::format(".{}.{}.part", target.path.filename().string(), ::getpid()); }

// So that the rename itself survives a crash. Not every file system can; the file is whole in any case.
void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

std::string reason(int error) { return std::generic_category().message(error); }

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

int open_beside(const OutputTarget& target, std::string& problem) {
  const int descriptor = ::open(temporary_of(target).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOrdinaryMode);
  if (descriptor < 0) problem = reason(errno);
  if (descriptor >= 0 && target.exists && ::fchmod(descriptor, target.mode) != 0) errno = 0;  // the content matters more
  return descriptor;
}

std::string close_beside(int descriptor, const OutputTarget& target, const fs::path& name) {
  const fs::path temporary = temporary_of(target);
  std::string problem;
  if (!name.empty() && ::fsync(descriptor) != 0) problem = reason(errno);
  // Some file systems say only then that the disk is full.
  if (::close(descriptor) != 0 && problem.empty()) problem = reason(errno);
  if (problem.empty() && !name.empty() && ::rename(temporary.c_str(), name.c_str()) != 0) problem = reason(errno);
  if (!problem.empty() || name.empty())
    ::unlink(temporary.c_str());
  else
    sync_folder(folder_of(target));
  return problem;
}

}  // namespace opledger
