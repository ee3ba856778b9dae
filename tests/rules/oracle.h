#pragma once
#include <functional>
#include <map>
#include <string>

#include "rules/derivation.h"
#include "tests/rules/kernels.h"

/// Runs a block forward and backward on simulated ranks, placed and resharded as derived, and on one rank: every result, read as its placement says, must be
/// the same. What this checks is the claim of a derivation: that shards fit together, replicas are equal and partial sums add up to the true tensor.
namespace opledger::testing {

/// What a node is claimed to leave; mutations of it must not go unnoticed.
using Claim = std::function<Placement(const Derivation&, NodeId, const DimList&, const AxisList&)>;

using Answers = std::map<std::string, Dense>;  ///< `out`, gradients of inputs and weights, by name.

struct Outcome {
  std::string wrong;  ///< Empty: the derivation is right.
  std::size_t ranks = 0, compared = 0;
  int steps = 0, detours = 0;
};

/// Compares with one rank. `sizes` must be tiny and even.
Outcome check(const Setting& setting, const Claim& claim = {});

/// The setting with sizes at which execution takes no time.
Setting tiny(Setting setting, int batch);

/// Runs a derivation with given values, which are made up where there are none yet.
Answers execute(const Derived& d, Answers& values, const Claim& claim, Outcome& outcome);

}  // namespace opledger::testing
