#pragma once
#include <cstdint>
#include <vector>

#include "search/sweep/guarded_trace.h"

/// Variants: traces that are evaluated together. Their candidates choose the same values of the same axes; the remaining
/// axes are fixed, with one value in each variant.
namespace opledger {

/// A trace with the values of the fixed axes of its candidates.
struct Variant {
  const GuardedTrace* trace = nullptr;  ///< The trace, owned by a cache.
  std::vector<double> values;           ///< One value per axis; arbitrary for axes that are not fixed.
};

/// Largest number of variants of a plan: the bits of a VariantSet.
inline constexpr std::size_t kMaxVariants = 64;
/// A set of variants of a plan, as a mask.
using VariantSet = std::uint64_t;
/// Returns the set with one variant.
inline VariantSet variant_bit(std::size_t variant) { return VariantSet{1} << variant; }

/// Equivalence classes of variants. Variants of a kind have equal values of the fixed axes in question, so a prefix has
/// candidates of all of them or of none.
struct VariantKinds {
  std::vector<std::size_t> kind_of;          ///< Kind of each variant.
  std::vector<std::size_t> representatives;  ///< First variant of each kind.
  std::vector<VariantSet> members;           ///< Variants of each kind.
};

/// Groups variants by their values of `axes`; kinds are numbered by first occurrence. Cost: variants times kinds
/// comparisons.
VariantKinds kinds_by(const std::vector<Variant>& variants, AxisSet axes);

}  // namespace opledger
