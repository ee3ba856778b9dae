#include "cli/interrupt.h"

#include <csignal>

namespace opledger {
namespace {

std::atomic<bool>& flag() {
  static std::atomic<bool> raised{false};
  return raised;
}
static_assert(std::atomic<bool>::is_always_lock_free, "a signal's handler sets it");

void raise_flag(int) { flag().store(true, std::memory_order_relaxed); }

}  // namespace

Interrupt::Interrupt() {
  flag() = false;
  struct sigaction action = {};
  action.sa_handler = raise_flag;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

Interrupt::~Interrupt() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

const std::atomic<bool>& Interrupt::raised() const { return flag(); }

}  // namespace opledger
