#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostics.h"

/// The processes that `mpirun` started together; rank 0 is the leader. The code that calls MPI is a separate library,
/// opened only for several processes. A program that runs alone therefore needs no MPI and doesn't start it.
namespace opledger {

struct RanksModule;

/// A connection of this process to the other processes of the search.
class Ranks {
 public:
  /// Sends goodbye to the leader. The leader waits for the goodbye of every follower, so that no message is in
  /// transit at the end.
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  /// Connects to the other processes. Returns null if this process is alone; null with an error if others were
  /// started but MPI is unavailable.
  static std::unique_ptr<Ranks> join(Diagnostics& diagnostics);

  static constexpr std::string_view kGoodbye = "goodbye";  ///< A follower's last message.

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool leads() const { return rank_ == 0; }

  /// Sends bytes to a rank; may block until the receiver receives.
  void send(int to, const std::string& bytes);
  struct Message {
    int from = 0;
    std::string bytes;
  };
  /// Returns the next message that has arrived; nothing if none has. Never waits.
  std::optional<Message> receive();

 private:
  Ranks() = default;

  const RanksModule* module_ = nullptr;
  int rank_ = 0, size_ = 1, departed_ = 0;
};

/// Sleeps for 200 microseconds, between two polls for messages.
void wait_briefly();

}  // namespace opledger
