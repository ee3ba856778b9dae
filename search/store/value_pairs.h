#pragma once
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "search/space/domains.h"

/// The pairs of values that two axes take together in some candidate, for every two axes of a space. Subtrees that
/// differ only in axes which no later domain reads are visited once.
namespace opledger {

/// A memoizing walk over a space that collects pairs of values.
class ValuePairs {
 public:
  ValuePairs(Space& space, Diagnostics& diagnostics);

  /// Returns the pairs by two axes, the outer one first. The map is empty if the walk took too long.
  std::map<std::pair<std::size_t, std::size_t>, std::set<std::pair<double, double>>> take() { return std::move(pairs_); }

 private:
  /// The values of each axis from some axis on, possible for fixed values of the axes that their domains read.
  using Suffix = std::vector<std::set<double>>;

  const Suffix* visit(std::size_t axis);
  void join(std::size_t axis, const Suffix& suffix);

  Space& space_;
  Diagnostics& diagnostics_;
  Domains domains_;
  std::vector<double> values_;
  std::vector<AxisSet> read_;
  std::vector<std::map<std::vector<double>, Suffix>> known_;
  std::map<std::pair<std::size_t, std::size_t>, std::set<std::pair<double, double>>> pairs_;
  std::size_t steps_ = 0;
};

}  // namespace opledger
