#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "expr/tape.h"
#include "search/space/space.h"

/// In which order axes get their values, so that evaluation costs little: what many instructions read comes early, where prefixes are few, and so does what
/// lets a check refuse many; an axis comes behind those that decide its values.
namespace opledger {

/// What is known of candidates before they are gone through.
struct GroupShape {
  AxisSet axes = 0;                                  ///< Those to be put in order.
  std::vector<AxisSet> predecessors;                 ///< By axis: those of them that come before it.
  std::vector<double> sizes;                         ///< By axis: about how many values it has, others given.
  std::vector<std::uint64_t> passes;                 ///< By check: samples, as bits, that pass it.
  std::vector<std::vector<std::size_t>> refused_by;  ///< By structure: the checks that refuse a candidate of it.
  std::uint64_t samples = 0;                         ///< All of them.
};

struct LevelOrder {
  std::vector<std::size_t> axes;  ///< Outermost first.
  std::vector<double> prefixes;   ///< By level, about.
  double cost = 0;                ///< Of evaluating all, in instructions of a lane, about.
};

/// `depends`: by instruction, the axes that it reads. The order depends on nothing else, and takes a small group of the time that it is for.
LevelOrder level_order(const Tape& tape, std::span<const Scalar> checks, std::span<const Scalar> results, const std::vector<AxisSet>& depends,
                       const GroupShape& shape);

}  // namespace opledger
