#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run/run.h"

/// Ranks that communicate, listed for every group of axes with a transfer. Ranks are numbered as in the mesh: neighbors
/// differ in the innermost axis.
namespace opledger {

/// Groups of equal size in compact form, computed on access: the first ranks form a grid, and each group has the same
/// offsets from its first rank. Groups are ascending, as are the ranks of a group.
class GroupsOfRanks {
 public:
  /// An axis of the grid of first ranks.
  struct Axis {
    std::int64_t degree = 1, stride = 1;  ///< Number of positions, and distance between the ranks of two neighbors.
  };

  /// Creates a list without groups.
  GroupsOfRanks() = default;
  /// `group_axes`: axes that enumerate the groups, outermost first; `offsets`: distances of the ranks of a group from
  /// its first rank.
  GroupsOfRanks(std::vector<Axis> group_axes, std::vector<std::int64_t> offsets);

  /// Returns the number of groups.
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// Returns the number of ranks in each group.
  std::size_t ranks() const { return offsets_.size(); }
  /// Returns the rank at a position of a group. The cost is linear in the number of group axes.
  std::int64_t rank(std::size_t group, std::size_t position) const { return first(group) + offsets_[position]; }
  /// Returns all ranks of a group.
  std::vector<std::int64_t> operator[](std::size_t group) const;

 private:
  /// Returns the first rank of a group.
  std::int64_t first(std::size_t group) const;

  std::vector<Axis> group_axes_;       ///< Axes that enumerate the groups, in descending order of strides.
  std::vector<std::int64_t> offsets_;  ///< Distances of the ranks of a group from its first rank, ascending.
  std::size_t size_ = 0;               ///< Number of groups.
};

/// A group of axes with its collectives and rank groups.
struct RankGroups {
  std::string axes;                      ///< Name of the axes: `tp`, `cp*dp`; `pp {0, 3}` for stages that share a weight.
  std::vector<std::string> collectives;  ///< Names of collectives over the axes.
  std::vector<WordId> communicators;     ///< Words of the engine's set of communicators.
  bool chain = false;                    ///< True if ranks only send to the next rank or back: a pipeline.
  GroupsOfRanks groups;                  ///< Ranks of each group.
};

/// All communicating ranks of a run.
struct CommunicatingRanks {
  std::int64_t ranks = 1;        ///< Number of ranks of the run.
  std::int64_t node = 0;         ///< Processors of a host, if the accounting declares them (`commands: comm: {node: …}`) and the run has a system; else 0.
  std::vector<RankGroups> axes;  ///< Groups by set of axes, in the order of the first transfer over each set.
};

/// Lists the communicating ranks of a run. Empty, with an error, if the numbering exceeds the limit of base/limits.h.
std::optional<CommunicatingRanks> communicating_ranks(Run& run, Diagnostics& diagnostics);

}  // namespace opledger
