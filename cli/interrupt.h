#pragma once
#include <atomic>

namespace opledger {

/// While an object exists, the first SIGINT, SIGTERM or SIGHUP only sets a flag, so a long search can stop and report
/// its results. The second signal ends the program (report/unfinished.h).
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// Returns the flag; valid until the process ends.
  const std::atomic<bool>& raised() const;
};

}  // namespace opledger
