#pragma once
#include <cstdint>
#include <vector>

#include "search/sweep/guarded_trace.h"

/// Structures that are evaluated together: their candidates choose the same values of the same axes, and differ in those that have one value in each structure.
namespace opledger {

struct Variant {
  const GuardedTrace* structure = nullptr;
  std::vector<double> values;  ///< By axis; of those that are not fixed any.
};

inline constexpr std::size_t kMaxVariants = 64;
/// Some of the variants of a plan, as a mask.
using VariantSet = std::uint64_t;
inline VariantSet variant_bit(std::size_t variant) { return VariantSet{1} << variant; }

/// Siblings of a kind agree on all that decides whether a prefix has candidates of them.
struct VariantKinds {
  std::vector<std::size_t> kind_of;          ///< By variant.
  std::vector<std::size_t> representatives;  ///< By kind: a variant of it.
  std::vector<VariantSet> members;           ///< By kind.
};

/// By their values of some axes.
VariantKinds kinds_by(const std::vector<Variant>& variants, AxisSet axes);

}  // namespace opledger
