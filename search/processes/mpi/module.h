#pragma once
#include <cstddef>

namespace opledger {

/// What the library that knows MPI offers; `opledger_ranks` in it gives one, after MPI has been started.
struct RanksModule {
  int rank, size;
  void (*send)(int to, const char* bytes, std::size_t count);
  /// How many bytes the next message has, -1: there is none. `from`: its sender.
  long (*probe)(int* from);
  void (*receive)(int from, char* bytes, std::size_t count);
  void (*finish)();
};

}  // namespace opledger
