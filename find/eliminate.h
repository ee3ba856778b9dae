#pragma once
#include <string>
#include <vector>

#include "find/elimination_plan.h"
#include "find/factors.h"

/// The exact least cost of a problem, and the cost of each alternative.
namespace opledger {

/// What is minimized, and the limit of its work.
struct EliminationOptions {
  double multiplier = 0;                    ///< Cost of one unit of size (a Lagrange multiplier).
  double most_entries = kMostTableEntries;  ///< Limit of the combinations that one elimination enumerates.
};

/// The answer.
struct Elimination {
  double cost = 0;     ///< Least total cost, with the multiplied size; infinity if every assignment is forbidden.
  StateChoice states;  ///< An assignment with this cost; of equal states, a variable takes the first. Empty without a finite cost.
  std::string error;   ///< Not empty if a table would exceed the limit; names the variable and the tables.
};

/// Returns the least cost.
Elimination eliminate(const FactorProblem& problem, const EliminationOptions& options = {});

/// The least total cost with each state of each variable (min-marginals).
struct MinMarginals {
  std::vector<std::vector<double>> cost;  ///< By variable and state; infinity if no permitted assignment has the state.
  std::string error;                      ///< Not empty if a table would exceed the limit.
};

/// Returns the min-marginals. The work is a small multiple of that of `eliminate`.
MinMarginals min_marginals(const FactorProblem& problem, const EliminationOptions& options = {});

}  // namespace opledger
