#pragma once
#include <cstdint>
#include <vector>

#include "search/sweep/known_structure.h"

/// Structures that are evaluated together: their candidates choose the same values of the same axes, and differ in those that have one value in each structure.
namespace opledger {

struct Sibling {
  const KnownStructure* structure = nullptr;
  std::vector<double> values;  ///< By axis; of those that are not fixed any.
};

inline constexpr std::size_t kMostSiblings = 64;
/// Some of the siblings of a plan, as a mask.
using SiblingSet = std::uint64_t;
inline SiblingSet sibling_bit(std::size_t sibling) { return SiblingSet{1} << sibling; }

/// Siblings of a kind agree on all that decides whether a prefix has candidates of them.
struct SiblingKinds {
  std::vector<std::size_t> of;      ///< By sibling.
  std::vector<std::size_t> first;   ///< By kind: a sibling of it.
  std::vector<SiblingSet> members;  ///< By kind.
};

/// By their values of some axes.
SiblingKinds kinds_by(const std::vector<Sibling>& siblings, AxisSet axes);

}  // namespace opledger
