#include "schemas/input_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace opledger {

/// Opens first and looks at the open file afterwards, so that the file can't be replaced between both. Opening a pipe
/// waits for its writer unless O_NONBLOCK is set.
InputFile::InputFile(const std::filesystem::path& path, NamedBy by) {
  const std::string shown = path.string();
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | (by == NamedBy::document ? O_NONBLOCK | O_NOCTTY : 0));
  struct stat found = {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &found) != 0) {
    const bool is_missing = errno == ENOENT || errno == ENOTDIR;
    problem_ = is_missing ? fmt::format("there is no file `{}`", shown) : fmt::format("`{}` can't be read: {}", shown, std::generic_category().message(errno));
  } else if (S_ISDIR(found.st_mode)) {
    problem_ = fmt::format("`{}` is a folder, not a file", shown);
  } else if (by == NamedBy::document && !S_ISREG(found.st_mode)) {
    problem_ = fmt::format("`{}` is no regular file: a document may name no pipes and no devices", shown);
  }
  is_regular_ = S_ISREG(found.st_mode);
  size_ = is_regular_ ? static_cast<std::uint64_t>(found.st_size) : 0;
  if (problem_.empty() || descriptor_ < 0) return;
  ::close(descriptor_);
  descriptor_ = -1;
}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::int64_t InputFile::read(char* to, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes) {
    const ::ssize_t count = ::read(descriptor_, to + done, bytes - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return static_cast<std::int64_t>(done);
}

}  // namespace opledger
