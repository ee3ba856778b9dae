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
  /// Walks over the whole space. Reports an error if a domain can't be computed.
  ValuePairs(Space& space, Diagnostics& diagnostics);

  /// Returns the pairs of values by two axes, the outer axis first, and leaves the object empty. The map is empty if
  /// the walk took too long or failed.
  std::map<std::pair<std::size_t, std::size_t>, std::set<std::pair<double, double>>> take() { return std::move(pairs_); }

 private:
  /// The values of each axis from some axis on, possible for fixed values of the axes that their domains read.
  using Suffix = std::vector<std::set<double>>;

  /// Returns the suffix from `axis` on for the current values of the earlier axes. Null if the walk must end.
  const Suffix* visit(std::size_t axis);
  /// Adds the pairs of the current values of the axes before `axis` with the values of the suffix.
  void join(std::size_t axis, const Suffix& suffix);

  Space& space_;
  Diagnostics& diagnostics_;
  Domains domains_;
  std::vector<double> values_;                                ///< Current value of each axis.
  std::vector<AxisSet> read_;                                 ///< Earlier axes that the domain of an axis and all later domains read, by axis.
  std::vector<std::map<std::vector<double>, Suffix>> known_;  ///< Memo by axis; the key is the values of the axes in `read_`.
  std::map<std::pair<std::size_t, std::size_t>, std::set<std::pair<double, double>>> pairs_;
  std::size_t steps_ = 0;  ///< Number of visited values and inserted pairs so far, which is limited.
};

}  // namespace opledger
