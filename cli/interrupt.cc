#include "cli/interrupt.h"

#include <csignal>

#include "report/unfinished.h"

namespace opledger {
namespace {

/// An object of Interrupt exists and takes the next signal; whether it has taken one.
std::atomic<bool> is_taken{false}, was_raised{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal's handler sets it");

void take_signal(int signal) {
  if (is_taken.exchange(false))
    was_raised.store(true);
  else
    end_by_signal(signal);
}

void handle(int signal) {
  struct sigaction action = {};
  action.sa_handler = take_signal;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

}  // namespace

/// A shell lets its jobs in the background ignore SIGINT; a search takes it nevertheless. `nohup` ignores SIGHUP, and a
/// search goes on then.
Interrupt::Interrupt() {
  was_raised = false;
  is_taken = true;
  handle(SIGINT);
  handle(SIGTERM);
  struct sigaction inherited = {};
  if (sigaction(SIGHUP, nullptr, &inherited) == 0 && inherited.sa_handler != SIG_IGN) handle(SIGHUP);
}

Interrupt::~Interrupt() { is_taken = false; }

const std::atomic<bool>& Interrupt::raised() const { return was_raised; }

}  // namespace opledger
