#include "report/output.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr int kGzipFormat = 15 + 16;  // largest window, gzip header
constexpr int kMemoryLevel = 9;
constexpr int kOrdinaryMode = 0666;  // less the user's mask

// strerror depends on the locale, this does not.
std::string reason(int error) { return std::generic_category().message(error); }

std::string failure(const std::string& path, const std::string& why) { return fmt::format("can't write `{}`: {}", path, why); }

// Closes the descriptor. Some file systems say only then that the disk is full.
std::string write_and_close(int descriptor, std::string_view text, bool sync) {
  std::string problem = write_all(descriptor, text);
  if (problem.empty() && sync && ::fsync(descriptor) != 0) problem = reason(errno);
  if (::close(descriptor) != 0 && problem.empty()) problem = reason(errno);
  return problem;
}

// So that the rename itself survives a crash. Not every file system can; the file is whole in any case.
void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

std::string write_in_place(const fs::path& path, std::string_view text) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  return descriptor < 0 ? reason(errno) : write_and_close(descriptor, text, false);
}

std::string write_beside(const fs::path& path, std::string_view text, const struct stat* old) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const fs::path temporary = folder / fmt::format(".{}.{}.part", path.filename().string(), ::getpid());
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOrdinaryMode);
  if (descriptor < 0) return reason(errno);
  if (old != nullptr && ::fchmod(descriptor, old->st_mode & 07777) != 0) errno = 0;  // the content matters more
  std::string problem = write_and_close(descriptor, text, true);
  if (problem.empty() && ::rename(temporary.c_str(), path.c_str()) != 0) problem = reason(errno);
  if (!problem.empty())
    ::unlink(temporary.c_str());
  else
    sync_folder(folder);
  return problem;
}

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

std::string write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ::ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return reason(errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

std::string gzip(std::string_view text) {
  z_stream stream = {};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzipFormat, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  std::string result(deflateBound(&stream, text.size()), '\0');
  std::string input(text);
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  const int done = deflate(&stream, Z_FINISH);
  result.resize(done == Z_STREAM_END ? stream.total_out : 0);
  deflateEnd(&stream);
  return result;
}

std::string write_file(const std::string& path, std::string_view text) {
  std::string compressed;
  if (ends_with(path, ".gz")) {
    compressed = gzip(text);
    if (compressed.empty()) return failure(path, "it can't be compressed");
    text = compressed;
  }
  // A link stays one: what it points to is replaced.
  std::error_code error;
  fs::path target = fs::weakly_canonical(path, error);
  if (error) target = path;
  struct stat old = {};
  const bool exists = ::stat(target.c_str(), &old) == 0;
  std::string problem;
  if (path.empty())
    problem = "the name is empty";
  else if (exists && S_ISDIR(old.st_mode))
    problem = reason(EISDIR);
  else if (exists && !S_ISREG(old.st_mode))
    problem = write_in_place(target, text);
  else if (exists && ::access(target.c_str(), W_OK) != 0)
    problem = reason(errno);
  else
    problem = write_beside(target, text, exists ? &old : nullptr);
  return problem.empty() ? problem : failure(path, problem);
}

}  // namespace opledger
