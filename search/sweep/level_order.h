#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "expr/tape.h"
#include "search/space/space.h"

/// The order in which a plan assigns axes, chosen by estimated cost. Axes that many instructions read tend to come early,
/// where prefixes are few, and so do axes that let checks refuse many candidates. An axis comes after all axes that
/// decide its values.
namespace opledger {

/// Statistics of a group of candidates before their evaluation.
struct GroupShape {
  AxisSet axes = 0;                                  ///< Axes to order.
  std::vector<AxisSet> predecessors;                 ///< Members of `axes` that must precede an axis, by axis.
  std::vector<double> sizes;                         ///< Mean number of admitted values once the axes before are chosen, by axis (GroupSamples::sizes).
  std::vector<std::uint64_t> passes;                 ///< Mask of the samples that pass a check, by check.
  std::vector<std::vector<std::size_t>> refused_by;  ///< Checks that can refuse candidates of a variant, by variant.
  std::uint64_t samples = 0;                         ///< Mask of all samples.
};

/// A chosen order with its estimates.
struct LevelOrder {
  std::vector<std::size_t> axes;  ///< Axes, outermost first.
  std::vector<double> prefixes;   ///< Estimated number of prefixes of each level.
  double cost = 0;                ///< Estimated cost of evaluating all candidates, in instructions of one lane.
};

/// Chooses an order. `tape`: the program to evaluate, with its `checks` and `results`. `depends`: the axes on which each
/// instruction of the tape depends. The result depends on the arguments alone. The local search takes at most about
/// 2 % of the estimated evaluation time.
LevelOrder level_order(const Tape& tape, std::span<const Scalar> checks, std::span<const Scalar> results, const std::vector<AxisSet>& depends,
                       const GroupShape& shape);

}  // namespace opledger
