#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "expr/level_kernel.h"
#include "search/sweep/variants.h"

/// Prefixes of a level that are worked on at a time.
namespace opledger {

inline constexpr std::size_t kLanes = LevelKernel::kLanes;

/// Some of them, rising.
struct LaneList {
  std::array<std::uint32_t, kLanes> all;
  std::size_t count = 0;

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

/// What is known of those of a level beside what the kernel computes.
struct Lanes {
  // Of a variant and a lane: it has no candidates there any more; no check has failed; else one more than the place of the first check that fails, so far.
  static constexpr std::uint32_t kGone = 0, kNone = UINT32_MAX;

  explicit Lanes(std::size_t variants) : count(variants) {}

  /// Fills in the marks of so many lanes.
  void fill(std::size_t lanes) {
    if (!plain) return;
    plain = false;
    marks.resize(count * lanes_for(kLanes));
    for (std::size_t s = 0; s < count; ++s) std::fill_n(of(s), lanes, kNone);
  }
  std::uint32_t* of(std::size_t variant) { return marks.data() + variant * lanes_for(kLanes); }
  const std::uint32_t* of(std::size_t variant) const { return marks.data() + variant * lanes_for(kLanes); }

  std::size_t count;                                 ///< Siblings.
  bool plain = true;                                 ///< No variant is gone, and none fails a check. Then the marks are not filled in.
  std::vector<std::uint32_t> marks;                  ///< By variant and lane.
  std::array<VariantSet, kLanes> variants{};         ///< Who has the value, where not all do.
  std::array<const std::uint32_t*, kLanes> ranks{};  ///< Of the choice, where all feasible candidates are wanted.
};

}  // namespace opledger
