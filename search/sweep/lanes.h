#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "expr/level_kernel.h"
#include "search/sweep/variants.h"

/// Lanes: the prefixes of one level that are evaluated together, as in SIMD code. A prefix is a choice of values for
/// the axes of the first levels of a plan. A variant is one of several traces that the plan evaluates together
/// (variants.h).
namespace opledger {

/// Largest number of lanes of a level.
inline constexpr std::size_t kLanes = LevelKernel::kLanes;

/// A selection of lanes, ascending.
struct LaneList {
  std::array<std::uint32_t, kLanes> all;  ///< Numbers of the selected lanes; entries from `count` on are meaningless.
  std::size_t count = 0;                  ///< Number of selected lanes.

  /// Selects the lanes below `of` that pass the test, without branches.
  template <class Test>
  void select(std::size_t of, const Test& test) {
    count = 0;
    for (std::size_t i = 0; i < of; ++i) {
      all[count] = static_cast<std::uint32_t>(i);
      count += test(i) ? 1 : 0;
    }
  }
  std::uint32_t* begin() { return all.data(); }
  std::uint32_t* end() { return all.data() + count; }
  const std::uint32_t* begin() const { return all.data(); }
  const std::uint32_t* end() const { return all.data() + count; }
  std::uint32_t operator[](std::size_t i) const { return all[i]; }
};

/// The state of each variant in each lane of a level, besides the numbers that the kernel computes. The state is a
/// mark: kGone if the variant has no candidates left in the lane, kNone if no check has failed. Otherwise the mark is
/// one more than the position of the first failed check so far in the variant's order of checks.
struct Lanes {
  static constexpr std::uint32_t kGone = 0, kNone = UINT32_MAX;  ///< Marks: no candidates left; no failed check.

  explicit Lanes(std::size_t variants) : count(variants) {}

  /// Materializes the marks of the first `lanes` lanes, with kNone everywhere; does nothing unless `plain`.
  void fill(std::size_t lanes) {
    if (!plain) return;
    plain = false;
    marks.resize(count * lanes_for(kLanes));
    for (std::size_t s = 0; s < count; ++s) std::fill_n(of(s), lanes, kNone);
  }
  /// Returns the marks of a variant, one per lane.
  std::uint32_t* of(std::size_t variant) { return marks.data() + variant * lanes_for(kLanes); }
  const std::uint32_t* of(std::size_t variant) const { return marks.data() + variant * lanes_for(kLanes); }

  std::size_t count;                                 ///< Number of variants.
  bool plain = true;                                 ///< Every mark is kNone, and `marks` is not filled in.
  std::vector<std::uint32_t> marks;                  ///< Indexed by variant and lane.
  std::array<VariantSet, kLanes> variants{};         ///< Variants that have the value of the lane; filled in if kinds differ.
  std::array<const std::uint32_t*, kLanes> ranks{};  ///< Ranks of the lane's choice; filled in if candidates are listed.
};

}  // namespace opledger
