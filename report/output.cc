#include "report/output.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <filesystem>

#include "report/gzip_stream.h"
#include "report/output_target.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

std::string failure(const std::string& path, const std::string& why) { return fmt::format("can't write `{}`: {}", path, why); }

/// Writes to an existing pipe or device.
std::string write_in_place(const fs::path& path, std::string_view text) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return reason(errno);
  std::string problem = write_all(descriptor, text);
  if (::close(descriptor) != 0 && problem.empty()) problem = reason(errno);
  return problem;
}

/// Writes to a temporary file and renames it, so that readers never see a partial file.
std::string write_temporary(const OutputTarget& target, std::string_view text) {
  std::string problem;
  const int descriptor = open_temporary(target, problem);
  if (descriptor < 0) return problem;
  problem = write_all(descriptor, text);
  const std::string closing = close_temporary(descriptor, target, problem.empty() ? target.path : fs::path());
  return problem.empty() ? closing : problem;
}

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

/// Repeats partial and interrupted writes until the text is written.
std::string write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ::ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return reason(errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

/// Polls without waiting: the operating system reports an error on a pipe without a reader.
bool reader_has_gone(int descriptor) {
  ::pollfd watched = {descriptor, POLLOUT, 0};
  return ::poll(&watched, 1, 0) == 1 && (watched.revents & POLLERR) != 0;
}

std::string gzip(std::string_view text) {
  z_stream stream = {};
  if (!start_gzip(stream, Z_BEST_COMPRESSION)) return {};
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
  const OutputTarget target = output_target(path);
  if (!target.problem.empty()) return failure(path, target.problem);
  const std::string problem = target.in_place ? write_in_place(target.path, text) : write_temporary(target, text);
  return problem.empty() ? problem : failure(path, problem);
}

/// Removes created folders with their content after a failure. Files in a folder that existed before are kept.
std::string write_files(const std::vector<std::pair<std::string, std::string>>& files) {
  std::vector<fs::path> created;
  for (const auto& [path, text] : files) {
    std::error_code error;
    const fs::path folder = fs::path(path).parent_path();
    if (!folder.empty() && fs::create_directory(folder, error)) created.push_back(folder);
    const std::string problem = error ? failure(folder.string(), reason(error.value())) : write_file(path, text);
    if (problem.empty()) continue;
    for (const fs::path& own : created) fs::remove_all(own, error);
    return problem;
  }
  return {};
}

}  // namespace opledger
