#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/run.h"

/// Groups of processors that communicate, derived from an execution alone. The section `peers` of the accounting lists
/// the axes, outermost first; without that section, the mesh supplies axes and groups of axes. Processors are numbered
/// as in a mesh: neighbors differ in the innermost entry.
namespace opledger {

/// Processors that communicate along one axis or a group of axes.
struct PeerGroup {
  /// A digit of a processor number: its number of values, and its stride.
  struct Digit {
    std::int64_t degree = 1, stride = 1;
  };
  std::string name;           ///< Name of the axis, of the group of axes, or of the entry in `peers`.
  std::vector<Digit> digits;  ///< Digits that vary inside a group, outermost first.
  /// True for a pipeline: the only peer is the next processor, cyclically. Otherwise all processors of the group are
  /// peers, including the processor itself.
  bool next = false;

  /// Returns the number of processors in each group, the product of the degrees.
  std::int64_t size() const;
  /// Returns the peers of a processor in ascending order; of a pipeline, one number.
  std::vector<std::int64_t> of(std::int64_t processor) const;
};

/// The peers of all processors of an execution.
struct Peers {
  std::int64_t processors = 1;    ///< Number of processors, the product of the degrees of all axes.
  std::vector<PeerGroup> groups;  ///< Axes, innermost first, then groups of axes. Entries of one processor are omitted.
};

/// Computes the groups from the execution, accounting and overrides of `request`. Empty, with errors, if a degree can't
/// be computed or the listing exceeds the limit of base/limits.h.
std::optional<Peers> find_peers(const RunRequest& request, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
