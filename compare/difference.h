#pragma once
#include <vector>

#include "compare/compared.h"

/// Differences of two runs, quantity by quantity.
namespace opledger {

/// The quantities with different values, by kind.
struct Differences {
  std::vector<ComparedQuantity> inputs;    ///< Inputs of both runs.
  std::vector<ComparedQuantity> metrics;   ///< Largest change first; metrics without a relative change precede all others.
  std::vector<ComparedQuantity> entries;   ///< Quantities of nodes, largest share of the difference first.
  std::vector<ComparedQuantity> elements;  ///< Messages, saved tensors and weights, largest share first.
};

/// Compares two runs. Runs of one accounting are compared by name; runs of two accountings by the section `compares` of
/// one of them.
Differences differences(Run& first, Run& second);

}  // namespace opledger
