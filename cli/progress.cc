#include "cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "base/text.h"
#include "cli/terminal.h"
#include "report/cells.h"
#include "report/output.h"

namespace opledger {
namespace {

constexpr const char* kClear = "\r\033[K";
constexpr std::chrono::milliseconds kPatience(500), kPause(100);

bool can_clear_lines() {
  const char* const terminal = std::getenv("TERM");
  return terminal == nullptr || std::string_view(terminal) != "dumb";
}

}  // namespace

Progress::Progress(bool enabled) : enabled_(enabled && is_terminal(STDERR_FILENO) && can_clear_lines()), next_(Clock::now() + kPatience) {}

Progress::~Progress() {
  if (shown_) write_all(STDERR_FILENO, kClear);
}

/// The last column stays free: some terminals begin a new line after a character in the last column.
std::size_t Progress::columns() { return std::max<std::size_t>(terminal_columns(STDERR_FILENO).value_or(kPageWidth), 2) - 1; }

void Progress::write(const std::string& text) {
  write_all(STDERR_FILENO, kClear + shortened(visible(text), columns()));
  shown_ = true;
  next_ = Clock::now() + kPause;
}

}  // namespace opledger
