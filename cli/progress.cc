#include "cli/progress.h"

#include <unistd.h>

#include "base/text.h"
#include "report/cells.h"
#include "report/output.h"

namespace opledger {
namespace {

constexpr std::size_t kColumns = 79;
constexpr const char* kClear = "\r\033[K";
constexpr std::chrono::milliseconds kPatience(500), kPause(100);

}  // namespace

Progress::Progress() : watched_(isatty(STDERR_FILENO) == 1), next_(Clock::now() + kPatience) {}

Progress::~Progress() {
  if (shown_) write_all(STDERR_FILENO, kClear);
}

void Progress::write(const std::string& text) {
  write_all(STDERR_FILENO, kClear + shortened(visible(text), kColumns));
  shown_ = true;
  next_ = Clock::now() + kPause;
}

}  // namespace opledger
