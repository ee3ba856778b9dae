#include "import/layer_pattern.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace opledger {
namespace {

constexpr std::size_t kLongestRound = 64;

/// The best description of the layers from one position on: a group of `length` layers, repeated `rounds` times, then
/// the best description of the rest.
struct Step {
  std::size_t cost = std::numeric_limits<std::size_t>::max();
  std::size_t length = 0, rounds = 0;
};

/// Finds a cheap description of a sequence of layer kinds by dynamic programming.
class PatternFinder {
 public:
  explicit PatternFinder(const std::vector<std::size_t>& kinds) : kinds_(kinds), steps_(kinds.size() + 1), starts_(kinds.size() + 1) {
    for (std::size_t i = 0; i < kinds.size(); ++i) starts_[i + 1] = starts_[i] + (i == 0 || kinds[i] != kinds[i - 1] ? 1 : 0);
  }

  /// Finds the cheapest description in which each group has as many rounds as possible. The method is dynamic
  /// programming from the last layer to the first. `steps_[i]` has the best first group for the layers from `i` on, and
  /// the cost of these layers. A run costs 2; a group of several rounds costs 1, plus 2 for each run of one round. A
  /// round of equal layers is not tried, because one long run is cheaper. `same[length]` counts the consecutive layers
  /// from `i` on that equal the layer `length` positions later, so the number of rounds is known in constant time. The
  /// cost is at most about 130 steps for each layer.
  std::vector<LayerGroup> find() {
    const std::size_t n = kinds_.size();
    steps_[n].cost = 0;
    std::vector<std::size_t> same(kLongestRound + 1);  // Layers from the current one on that equal the layer `length` positions later.
    std::size_t run = 0;
    for (std::size_t i = n; i-- > 0;) {
      run = i + 1 < n && kinds_[i] == kinds_[i + 1] ? run + 1 : 1;
      // A run may also end up to a round's length early, because a round may begin inside a run of equal layers.
      for (std::size_t left = 0; left < run && left <= kLongestRound; ++left) try_step(i, {2 + steps_[i + run - left].cost, run - left, 1});
      for (std::size_t length = 2; length <= kLongestRound && i + length < n; ++length) {
        same[length] = kinds_[i] == kinds_[i + length] ? same[length] + 1 : 0;
        const std::size_t rounds = 1 + same[length] / length;
        if (run < length && rounds > 1) try_step(i, {1 + 2 * runs(i, length) + steps_[i + length * rounds].cost, length, rounds});
      }
    }
    return groups();
  }

 private:
  /// Returns the number of runs in `length` layers from a position on.
  std::size_t runs(std::size_t from, std::size_t length) const { return starts_[from + length] - starts_[from + 1] + 1; }

  void try_step(std::size_t from, const Step& step) {
    Step& best = steps_[from];
    if (step.cost < best.cost || (step.cost == best.cost && step.length * step.rounds > best.length * best.rounds)) best = step;
  }

  /// Returns the groups along the best steps, from the first layer on.
  std::vector<LayerGroup> groups() const {
    std::vector<LayerGroup> out;
    for (std::size_t i = 0; i < kinds_.size(); i += steps_[i].length * steps_[i].rounds) {
      LayerGroup group;
      group.rounds = steps_[i].rounds;
      for (std::size_t j = i; j < i + steps_[i].length; ++j) {
        if (group.runs.empty() || group.runs.back().kind != kinds_[j]) group.runs.push_back({kinds_[j], 0});
        ++group.runs.back().layers;
      }
      out.push_back(std::move(group));
    }
    return out;
  }

  const std::vector<std::size_t>& kinds_;
  std::vector<Step> steps_;
  std::vector<std::size_t> starts_;  ///< Number of runs that begin before each layer.
};

}  // namespace

std::size_t LayerGroup::layers() const {
  return rounds * std::accumulate(runs.begin(), runs.end(), std::size_t{0}, [](std::size_t sum, const LayerRun& run) { return sum + run.layers; });
}

std::vector<LayerGroup> find_pattern(const std::vector<std::size_t>& kinds) { return PatternFinder(kinds).find(); }

}  // namespace opledger
