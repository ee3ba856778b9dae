#include "cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "base/text.h"
#include "report/cells.h"
#include "report/output.h"

namespace opledger {
namespace {

constexpr std::size_t kUsualColumns = 80;
constexpr const char* kClear = "\r\033[K";
constexpr std::chrono::milliseconds kPatience(500), kPause(100);

bool can_clear_lines() {
  const char* const terminal = std::getenv("TERM");
  return terminal == nullptr || std::string_view(terminal) != "dumb";
}

}  // namespace

Progress::Progress(bool wanted) : watched_(wanted && isatty(STDERR_FILENO) == 1 && can_clear_lines()), next_(Clock::now() + kPatience) {}

Progress::~Progress() {
  if (shown_) write_all(STDERR_FILENO, kClear);
}

/// The last one stays free: some terminals begin a new line once it is written to.
std::size_t Progress::columns() {
  struct winsize size = {};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return (known ? size.ws_col : kUsualColumns) - 1;
}

void Progress::write(const std::string& text) {
  write_all(STDERR_FILENO, kClear + shortened(visible(text), columns()));
  shown_ = true;
  next_ = Clock::now() + kPause;
}

}  // namespace opledger
