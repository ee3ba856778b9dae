#pragma once
#include <cstddef>
#include <vector>

/// The shortest way to say in which order kinds of layers follow each other: runs of equal layers, and rounds of runs that come again.
namespace opledger {

struct LayerRun {
  std::size_t kind = 0, layers = 0;
};

struct LayerGroup {
  std::size_t rounds = 1;  ///< 1: the runs are no group.
  std::vector<LayerRun> runs;

  std::size_t layers() const;  ///< Of all rounds.
};

/// `kinds`: of each layer, in order. The fewest runs and groups are written down; of several ways the one that begins with the longest. A round has at most 64 layers.
std::vector<LayerGroup> find_pattern(const std::vector<std::size_t>& kinds);

}  // namespace opledger
