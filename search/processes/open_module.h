#pragma once
#include <string>

/// The library that calls MPI, `libopledger_mpi.so` (search/processes/mpi), loaded while the program runs.
namespace opledger {

struct RanksModule;

/// The loaded library, or the reason why there is none.
struct OpenedModule {
  const RanksModule* (*start)() = nullptr;  ///< Starts MPI; null if the library can't be used.
  std::string problem;                      ///< The reason, as the end of "…, but".
};

/// Loads the library from the folder of the program (a build), or from a library folder of its installation. Each reason
/// has its own text: built without MPI, not found, not loadable, or a different library.
OpenedModule open_module();

}  // namespace opledger
