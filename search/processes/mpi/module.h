#pragma once
#include <cstddef>

namespace opledger {

/// The interface of the separate library that calls MPI. Its function `opledger_ranks` starts MPI and returns the
/// table.
struct RanksModule {
  int rank, size;  ///< Number of this process, from 0, and number of processes.
  /// Sends `count` bytes to a rank; may block until the receiver receives.
  void (*send)(int to, const char* bytes, std::size_t count);
  /// Returns the size of the next message in bytes and sets `from` to its sender; -1 if no message has arrived.
  long (*probe)(int* from);
  /// Receives the message of `count` bytes that `probe` has found.
  void (*receive)(int from, char* bytes, std::size_t count);
  /// Ends MPI in this process.
  void (*finish)();
};

}  // namespace opledger
