#pragma once
#include <atomic>

namespace opledger {

/// While it lives, the first SIGINT or SIGTERM only raises the flag, so that long work can end with what it has. The second one ends the program as ever.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  const std::atomic<bool>& raised() const;
};

}  // namespace opledger
