#include "search/sweep/variants.h"

#include <algorithm>

namespace opledger {

/// Partitions variants into kinds by their values of `axes`. Each variant is compared with the first variant of every
/// kind so far, and founds a new kind if none agrees; there are at most 64 variants.
VariantKinds kinds_by(const std::vector<Variant>& variants, AxisSet axes) {
  VariantKinds out;
  const auto agree = [&](std::size_t a, std::size_t b) {
    for (std::size_t axis = 0; axis < variants[a].values.size(); ++axis) {
      if ((axes & axis_bit(axis)) != 0 && variants[a].values[axis] != variants[b].values[axis]) return false;
    }
    return true;
  };
  for (std::size_t s = 0; s < variants.size(); ++s) {
    const auto same = std::find_if(out.representatives.begin(), out.representatives.end(), [&](std::size_t first) { return agree(first, s); });
    const auto kind = static_cast<std::size_t>(same - out.representatives.begin());
    if (same == out.representatives.end()) {
      out.representatives.push_back(s);
      out.members.push_back(0);
    }
    out.kind_of.push_back(kind);
    out.members[kind] |= variant_bit(s);
  }
  return out;
}

}  // namespace opledger
