#pragma once
#include <optional>
#include <vector>

#include "search/space/assignment.h"

/// The values that some axes of a space take together.
namespace opledger {

/// More than so many are too many to look at one by one.
inline constexpr std::size_t kMostCombinations = 50'000;

class Combinations {
 public:
  explicit Combinations(Space& space) : assignment_(space) {}

  /// Those of `axes`, which must hold all that their domains read: by axis; the values of others mean nothing. Null, if there are very many or a domain
  /// can't be computed.
  const std::vector<std::vector<double>>* of(AxisSet axes);
  /// What one axis can have, rising; null as above.
  const std::vector<double>* values(const Space& space, std::size_t axis);

 private:
  bool add(AxisSet known, AxisSet wanted, std::vector<std::vector<double>>& out);

  Assignment assignment_;
  std::map<AxisSet, std::optional<std::vector<std::vector<double>>>> known_;
  std::map<std::size_t, std::vector<double>> values_;
};

/// What must be known before these axes are, and they.
AxisSet with_read(const Space& space, AxisSet axes);

}  // namespace opledger
