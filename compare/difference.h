#pragma once
#include <vector>

#include "compare/compared.h"

/// Differences of two runs, quantity by quantity. Texts of values belong to the runs.
namespace opledger {

/// The quantities with different values, by kind.
struct Differences {
  std::vector<ComparedQuantity> inputs;   ///< Scalar inputs of both runs that no engine computes; empty for runs of two accountings.
  std::vector<ComparedQuantity> metrics;  ///< Largest change first; metrics without a relative change precede all others.
  std::vector<ComparedQuantity> entries;  ///< Quantities of nodes, for two accountings of the elements under `compares`; largest share of the difference first.
  std::vector<ComparedQuantity> elements;  ///< Messages, saved tensors and weights, largest share first.
};

/// Compares two runs; values in the result are those of `first`, then of `second`. Runs of one accounting are
/// compared by name. Runs of two accountings are compared by the section `compares` of one of them, without it by
/// metrics of equal names.
Differences differences(Run& first, Run& second);

}  // namespace opledger
