#pragma once
#include <functional>
#include <map>
#include <string>

#include "rules/derivation.h"
#include "tests/rules/kernels.h"

/// An oracle for derivations. A block runs forward and backward on simulated ranks, as derived, and on one rank. Every
/// result must be equal when it is read by its placement. This checks the claims that shards fit together, replicas are
/// equal, and partial sums add up to the whole tensor.
namespace opledger::testing {

/// The claimed output placement of a node; the oracle must notice mutations of it.
using Claim = std::function<Placement(const Derivation&, NodeId, const DimList&, const AxisList&)>;

using Answers = std::map<std::string, Dense>;  ///< `out` and the gradients of inputs and weights, by name.

struct Outcome {
  std::string wrong;  ///< Empty: the derivation is right.
  std::size_t ranks = 0, compared = 0;
  int steps = 0, detours = 0;
};

/// Compares a derivation with one rank. `sizes` must be tiny and even.
Outcome check(const Setting& setting, const Claim& claim = {});

/// Returns the setting with sizes that run quickly.
Setting tiny(Setting setting, int batch);

/// Runs a derivation with given values; missing values are invented.
Answers execute(const Derived& d, Answers& values, const Claim& claim, Outcome& outcome);

}  // namespace opledger::testing
