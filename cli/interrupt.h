#pragma once
#include <atomic>

namespace opledger {

/// While an object exists, the first SIGINT and the first SIGTERM only set a flag, so a long search can stop and report
/// its results. A second signal of the same kind ends the program in the default way.
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
