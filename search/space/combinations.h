#pragma once
#include <optional>
#include <vector>

#include "search/space/assignment.h"

/// The joint values of a few axes of a space.
namespace opledger {

/// Limit of combinations that are enumerated. Callers must do without the enumeration beyond.
inline constexpr std::size_t kMaxCombinations = 50'000;

/// A memoizing enumerator of the combinations of values that a set of axes takes.
class Combinations {
 public:
  explicit Combinations(Space& space) : assignment_(space) {}

  /// Returns every combination of `axes`, each as values by axis; entries of other axes are meaningless. `axes` must
  /// be closed under `with_dependencies`. Returns null above kMaxCombinations or if a domain can't be computed.
  const std::vector<std::vector<double>>* of(AxisSet axes);
  /// Returns the values of one axis in ascending order, over all values of the axes that its domain reads. Returns
  /// null in the cases of `of`.
  const std::vector<double>* values(const Space& space, std::size_t axis);

 private:
  /// Appends all combinations of `targets` that extend the current values of the axes in `known`. Returns false as `of`
  /// returns null.
  bool add(AxisSet known, AxisSet targets, std::vector<std::vector<double>>& out);

  Assignment assignment_;
  std::map<AxisSet, std::optional<std::vector<std::vector<double>>>> known_;  ///< Memo of `of` by set of axes; empty for null.
  std::map<std::size_t, std::vector<double>> values_;                         ///< Memo of `values` by axis.
};

/// Returns `axes` and the axes on which their domains depend, transitively.
AxisSet with_dependencies(const Space& space, AxisSet axes);

}  // namespace opledger
