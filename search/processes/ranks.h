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
  /// Ends MPI in this process. Before, a follower sends goodbye to the leader, and the leader waits for the goodbye of
  /// every follower, so that no message is in transit at the end.
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  /// Connects to the other processes. Returns null if this process is alone; null with an error if others were
  /// started, but MPI is unavailable or counts a different number of processes.
  static std::unique_ptr<Ranks> join(Diagnostics& diagnostics);

  static constexpr std::string_view kGoodbye = "goodbye";  ///< A follower's last message.

  int rank() const { return rank_; }         ///< Number of this process, from 0.
  int size() const { return size_; }         ///< Number of processes.
  bool leads() const { return rank_ == 0; }  ///< True for the process that assembles the results.

  /// Sends bytes to a rank; may block until the receiver receives.
  void send(int to, const std::string& bytes);
  /// A message that has arrived.
  struct Message {
    int from = 0;       ///< Rank of the sender.
    std::string bytes;  ///< Content, see messages.h.
  };
  /// Returns the next message that has arrived; nothing if none has. Never waits.
  std::optional<Message> receive();

 private:
  Ranks() = default;

  const RanksModule* module_ = nullptr;     ///< Functions of the library that calls MPI.
  int rank_ = 0, size_ = 1, departed_ = 0;  ///< Own rank; number of processes; number of goodbyes received.
};

/// Sleeps for 200 microseconds, between two polls for messages.
void wait_briefly();

}  // namespace opledger
