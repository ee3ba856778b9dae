#pragma once
#include <cstddef>
#include <vector>

/// Finds the shortest description of the order of layer kinds: runs of equal layers, and groups of runs that repeat.
namespace opledger {

/// Consecutive layers of one kind.
struct LayerRun {
  std::size_t kind = 0, layers = 0;
};

/// Runs that repeat together.
struct LayerGroup {
  std::size_t rounds = 1;  ///< Repetitions of the runs; 1 for a run without repetition.
  std::vector<LayerRun> runs;

  std::size_t layers() const;  ///< Returns the number of layers in all rounds.
};

/// Describes the layers whose kinds `kinds` lists in order. Minimizes the number of runs and groups; ties go to the
/// description with the longest first group. A round has at most 64 layers.
std::vector<LayerGroup> find_pattern(const std::vector<std::size_t>& kinds);

}  // namespace opledger
