#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/run.h"

/// Which processors talk to each other, from an execution alone. The accounting says it under `peers`, outermost first; without that section, the axes of the mesh
/// do, and groups of axes. Processors are numbered as in a mesh: those that differ in the innermost entry are neighbours.
namespace opledger {

struct PeerGroup {
  /// A digit of a processor's number: so many values, this far apart.
  struct Digit {
    std::int64_t degree = 1, stride = 1;
  };
  std::string name;
  std::vector<Digit> digits;  ///< Outermost first.
  bool next = false;          ///< Only the one that follows, from the last to the first: a pipeline. Otherwise all, itself included.

  std::int64_t size() const;
  /// Peers of a processor, in the order of their numbers.
  std::vector<std::int64_t> of(std::int64_t processor) const;
};

struct Peers {
  std::int64_t processors = 1;
  std::vector<PeerGroup> groups;  ///< Innermost first; those of one processor are left out.
};

/// `request`: its execution, accounting and overrides. Empty, with errors, if a degree can't be told, or if there are more than base/limits.h allows.
std::optional<Peers> find_peers(const RunRequest& request, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
