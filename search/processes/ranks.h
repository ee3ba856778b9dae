#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostics.h"

/// The processes that `mpirun` has started together: rank 0 leads. What talks to MPI is a library of its own, opened only then, so that a program that runs
/// alone neither knows nor waits for it.
namespace opledger {

struct RanksModule;

class Ranks {
 public:
  /// Says goodbye; the leader waits for all others to have done so, so that none is left with something that it is sending.
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  /// Null: this process is alone; or, with an error, others were started but MPI isn't there.
  static std::unique_ptr<Ranks> join(Diagnostics& diagnostics);

  static constexpr std::string_view kGoodbye = "goodbye";  ///< What each but the leader sends last.

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool leads() const { return rank_ == 0; }

  void send(int to, const std::string& bytes);
  struct Message {
    int from = 0;
    std::string bytes;
  };
  /// The next one that has arrived, if any: nobody waits.
  std::optional<Message> receive();

 private:
  Ranks() = default;

  const RanksModule* module_ = nullptr;
  int rank_ = 0, size_ = 1, gone_ = 0;
};

/// Until there may be something to receive.
void rest();

}  // namespace opledger
