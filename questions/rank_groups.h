#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run/run.h"

/// Which ranks communicate with each other: for every group of axes over which something is sent, the groups of ranks. Ranks are numbered as in the mesh, those
/// that differ in the innermost axis are neighbours.
namespace opledger {

/// Groups of as many ranks each, told by how they lie: none is listed before somebody asks for it. Ascending, and so are the ranks of each.
class GroupsOfRanks {
 public:
  struct Axis {
    std::int64_t degree = 1, stride = 1;
  };

  GroupsOfRanks() = default;
  /// `apart`: the axes along which groups lie beside each other, outermost first; `offsets`: where the ranks of each lie from its first one.
  GroupsOfRanks(std::vector<Axis> apart, std::vector<std::int64_t> offsets);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// Ranks of each group.
  std::size_t ranks() const { return offsets_.size(); }
  std::int64_t rank(std::size_t group, std::size_t position) const { return first(group) + offsets_[position]; }
  std::vector<std::int64_t> operator[](std::size_t group) const;

 private:
  std::int64_t first(std::size_t group) const;

  std::vector<Axis> apart_;
  std::vector<std::int64_t> offsets_;
  std::size_t size_ = 0;
};

struct RankGroups {
  std::string axes;                      ///< `tp`, `cp*dp`; `pp {0, 3}`, stages that share a weight
  std::vector<std::string> collectives;  ///< What is sent over them.
  std::vector<WordId> communicators;     ///< Of the engine's set, that are these.
  bool chain = false;                    ///< Only from each rank to the next and back: a pipeline.
  GroupsOfRanks groups;
};

struct CommunicatingRanks {
  std::int64_t ranks = 1;
  std::int64_t node = 0;  ///< Processors of one host, if the accounting knows (`commands: comm: {node: …}`) and a system was named; else 0.
  std::vector<RankGroups> axes;
};

/// Empty, with an error, if there are more ranks in all groups together than base/limits.h allows to list.
std::optional<CommunicatingRanks> communicating_ranks(Run& run, Diagnostics& diagnostics);

}  // namespace opledger
