#pragma once
#include <cstddef>

namespace opledger {

/// The interface of the separate library that calls MPI. Its function `opledger_ranks` starts MPI and returns the
/// table.
struct RanksModule {
  int rank, size;
  void (*send)(int to, const char* bytes, std::size_t count);
  /// Returns the size of the next message in bytes and sets `from` to its sender; -1 if no message has arrived.
  long (*probe)(int* from);
  void (*receive)(int from, char* bytes, std::size_t count);
  void (*finish)();
};

}  // namespace opledger
