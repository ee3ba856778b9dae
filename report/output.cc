#include "report/output.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "report/gzip_stream.h"
#include "report/output_target.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kGzipPart = 1 << 16;  // Bytes that are compressed at a time.

std::string failure(const std::string& path, const std::string& why) { return fmt::format("can't write `{}`: {}", path, why); }

/// Writes to an existing pipe or device.
std::string write_in_place(const fs::path& path, std::string_view text) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return reason(errno);
  std::string problem = write_all(descriptor, text);
  if (::close(descriptor) != 0 && problem.empty()) problem = reason(errno);
  return problem;
}

/// A file on the way to its target.
struct PendingFile {
  std::string path;        ///< Path as the caller names it.
  std::string_view text;   ///< Content, which the caller owns.
  OutputTarget target;     ///< Set by `prepare`.
  std::string compressed;  ///< Content in gzip format; empty if it is not compressed.

  std::string_view content() const { return compressed.empty() ? text : compressed; }
};

/// Writes the content to a temporary file, or only checks a target that is written in place. Returns an empty text, or
/// the problem; no temporary file is left then.
std::string prepare(PendingFile& file) {
  if (file.path.ends_with(".gz") && (file.compressed = gzip(file.text)).empty()) return failure(file.path, "it can't be compressed");
  file.target = output_target(file.path);
  std::string problem = file.target.problem;
  const int descriptor = problem.empty() && !file.target.in_place ? open_temporary(file.target, problem) : -1;
  if (descriptor >= 0) {
    problem = write_all(descriptor, file.content());
    const std::string closing = close_temporary(descriptor);
    if (problem.empty()) problem = closing;
    if (!problem.empty()) remove_temporary(file.target);
  }
  return problem.empty() ? problem : failure(file.path, problem);
}

/// Renames all temporary files under one lock, so that a signal finds all of them finished or none. Targets in place come
/// last, without the lock, because their readers may let them wait. After a failure, no temporary file is left. Returns
/// an empty text, or the problem.
std::string finish(const std::vector<PendingFile>& files) {
  std::string problem, path;
  Unfinished unfinished;
  for (const PendingFile& file : files) {
    if (file.target.in_place) continue;
    if (!problem.empty()) {
      remove_temporary(file.target, unfinished);
    } else if (!(problem = rename_temporary(file.target, file.target.path, unfinished)).empty()) {
      path = file.path;
    }
  }
  unfinished.release();
  for (const PendingFile& file : files) {
    if (file.target.in_place && problem.empty() && !(problem = write_in_place(file.target.path, file.content())).empty()) path = file.path;
  }
  return problem.empty() ? problem : failure(path, problem);
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
  // A page of a large model has hundreds of megabytes of text, so neither the text nor the result is copied as a whole.
  z_stream stream = {};
  if (!start_gzip(stream, Z_BEST_COMPRESSION)) return {};
  std::string result;
  int status = Z_OK;
  std::size_t at = 0;
  do {
    std::string part(text.substr(at, kGzipPart));
    at += part.size();
    stream.next_in = reinterpret_cast<Bytef*>(part.data());
    stream.avail_in = static_cast<uInt>(part.size());
    std::array<char, kGzipPart> out;
    do {
      stream.next_out = reinterpret_cast<Bytef*>(out.data());
      stream.avail_out = static_cast<uInt>(out.size());
      status = deflate(&stream, at == text.size() ? Z_FINISH : Z_NO_FLUSH);
      result.append(out.data(), out.size() - stream.avail_out);
    } while (stream.avail_out == 0);
  } while (at < text.size());
  deflateEnd(&stream);
  return status == Z_STREAM_END ? result : std::string();
}

std::string write_file(const std::string& path, std::string_view text) {
  std::vector<PendingFile> files = {{path, text, {}, {}}};
  const std::string problem = prepare(files[0]);
  return problem.empty() ? finish(files) : problem;
}

/// Writes all temporary files before it renames the first one, so that a failure or a signal leaves nothing. Created
/// folders are removed with their content after a failure.
std::string write_files(const std::vector<std::pair<std::string, std::string>>& files) {
  std::vector<PendingFile> pending;
  std::vector<fs::path> created;
  std::string problem;
  for (std::size_t i = 0; i < files.size() && problem.empty(); ++i) {
    const auto& [path, text] = files[i];
    const fs::path folder = fs::path(path).parent_path();
    std::error_code error;
    Unfinished unfinished;
    if (!folder.empty() && fs::create_directory(folder, error)) unfinished.add(created.emplace_back(folder));
    unfinished.release();
    PendingFile file{path, text, {}, {}};
    problem = error ? failure(folder.string(), reason(error.value())) : prepare(file);
    if (problem.empty()) pending.push_back(std::move(file));
  }
  if (problem.empty()) {
    problem = finish(pending);
  } else {
    for (const PendingFile& file : pending) remove_temporary(file.target);
  }
  Unfinished unfinished;
  for (const fs::path& folder : created) {
    std::error_code ignored;
    if (!problem.empty()) fs::remove_all(folder, ignored);
    unfinished.remove(folder);
  }
  return problem;
}

}  // namespace opledger
