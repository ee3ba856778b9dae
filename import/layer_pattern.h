#pragma once
#include <cstddef>
#include <vector>

/// Finds a short description of the order of layer kinds: runs of equal layers, and groups of runs that repeat.
namespace opledger {

/// Consecutive layers of one kind.
struct LayerRun {
  std::size_t kind = 0, layers = 0;  ///< Number of the kind, and number of layers.
};

/// Runs that repeat together.
struct LayerGroup {
  std::size_t rounds = 1;      ///< Repetitions of the runs; 1 for a run without repetition.
  std::vector<LayerRun> runs;  ///< Runs of one round, in order.

  std::size_t layers() const;  ///< Returns the number of layers in all rounds.
};

/// Describes the layers whose kinds `kinds` lists in order. Minimizes a cost: 2 for each run, 1 more for each group
/// with several rounds. Of several cheapest descriptions, the one with the longest first group wins. A round has at
/// most 64 layers, and a group has as many rounds as possible. A cheaper description with fewer rounds is not found.
/// The time is linear in the number of layers.
std::vector<LayerGroup> find_pattern(const std::vector<std::size_t>& kinds);

}  // namespace opledger
