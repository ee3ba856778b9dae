#include "report/output_stream.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>

#include "report/gzip_stream.h"
#include "report/output.h"
#include "report/output_target.h"

namespace opledger {
namespace {

constexpr std::size_t kBuffer = 1 << 18;

}  // namespace

struct OutputStream::State {
  std::string path, buffer;
  OutputTarget target;
  int descriptor = -1;
  bool own = false;  ///< True if the descriptor must be closed.
  bool zipped = false;
  bool reader_gone = false;
  z_stream zip = {};
};

OutputStream::OutputStream() = default;

OutputStream::~OutputStream() {
  if (state_ == nullptr) return;
  if (state_->zipped) deflateEnd(&state_->zip);
  if (state_->own && state_->target.in_place) ::close(state_->descriptor);
  if (state_->own && !state_->target.in_place) {
    ::close(state_->descriptor);
    remove_temporary(state_->target);
  }
}

bool OutputStream::reader_gone() const { return state_ != nullptr && state_->reader_gone; }

/// Returns the message for a failure, and remembers whether the reader of standard output is gone.
std::string OutputStream::fail(const std::string& why) {
  state_->reader_gone = !state_->own && reader_has_gone(state_->descriptor);
  return state_->own ? fmt::format("can't write `{}`: {}", state_->path, why) : "can't write to standard output: " + why;
}

/// Opens the output. Standard output is used as it is and never compressed. An existing pipe or device is opened
/// directly; any other path gets a temporary file, which `finish` renames. `own` is true if the stream opened the
/// descriptor and must close it. Returns an empty text, or the problem.
std::string OutputStream::open(const std::string& path) {
  state_ = std::make_unique<State>();
  State& s = *state_;
  s.path = path;
  if (path.empty() || path == "-") {
    s.descriptor = STDOUT_FILENO;
    return {};
  }
  s.target = output_target(path);
  std::string problem = s.target.problem;
  if (problem.empty() && s.target.in_place && (s.descriptor = ::open(s.target.path.c_str(), O_WRONLY | O_CLOEXEC)) < 0) problem = reason(errno);
  if (problem.empty() && !s.target.in_place) s.descriptor = open_temporary(s.target, problem);
  s.own = s.descriptor >= 0;
  if (!problem.empty()) return fmt::format("can't write `{}`: {}", path, problem);
  if (!path.ends_with(".gz")) return {};
  s.zipped = start_gzip(s.zip, Z_DEFAULT_COMPRESSION);
  return s.zipped ? "" : fail("it can't be compressed");
}

std::string OutputStream::write(std::string_view text) {
  state_->buffer += text;
  return state_->buffer.size() < kBuffer ? std::string() : flush(false);
}

/// Writes the buffer to the descriptor and empties it. A compressed stream passes the buffer through zlib in parts of
/// 64 KiB, until zlib leaves room in the last part: it then has no more output. With `last`, zlib also writes its
/// trailer. Returns an empty text, or the problem.
std::string OutputStream::flush(bool last) {
  State& s = *state_;
  std::string problem;
  if (!s.zipped) {
    problem = write_all(s.descriptor, s.buffer);
  } else {
    std::array<char, 1 << 16> out;
    s.zip.next_in = reinterpret_cast<Bytef*>(s.buffer.data());
    s.zip.avail_in = static_cast<uInt>(s.buffer.size());
    do {
      s.zip.next_out = reinterpret_cast<Bytef*>(out.data());
      s.zip.avail_out = static_cast<uInt>(out.size());
      deflate(&s.zip, last ? Z_FINISH : Z_NO_FLUSH);
      problem = write_all(s.descriptor, {out.data(), out.size() - s.zip.avail_out});
    } while (problem.empty() && s.zip.avail_out == 0);
  }
  s.buffer.clear();
  return problem.empty() ? problem : fail(problem);
}

std::string OutputStream::finish(bool complete) {
  std::string problem = flush(true);
  State& s = *state_;
  if (!problem.empty() || !s.own) return problem;
  s.own = false;
  if (s.target.in_place) {
    problem = ::close(s.descriptor) == 0 ? "" : reason(errno);
  } else {
    problem = close_temporary(s.descriptor);
    Unfinished unfinished;
    if (problem.empty())
      problem = rename_temporary(s.target, s.target.path.string() + (complete ? "" : ".partial"), unfinished);
    else
      remove_temporary(s.target, unfinished);
  }
  return problem.empty() ? problem : fmt::format("can't write `{}`: {}", s.path, problem);
}

}  // namespace opledger
