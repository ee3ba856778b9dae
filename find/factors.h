#pragma once
#include <cstddef>
#include <string>
#include <vector>

/// Problems of discrete choices whose total cost and size are sums of tables (factor graphs), such as the choice to save
/// or recompute each node. `eliminate` finds the least cost, `pareto` all best compromises between size and cost.
namespace opledger {

/// A choice with a number of states.
struct Variable {
  std::string name;        ///< Name for messages.
  std::size_t states = 1;  ///< Number of states, at least 1.
};

/// A table over some variables.
struct Factor {
  std::string name;                    ///< Name for messages.
  std::vector<std::size_t> variables;  ///< Indices of different variables; usually one to five.
  /// One number for each combination of states, row-major: the states of the last variable are adjacent.
  std::vector<double> entries;
};

/// The variables and the two sums of tables. A cost may be infinity, which forbids the combination; a size is finite.
struct FactorProblem {
  std::vector<Variable> variables;
  std::vector<Factor> cost, size;
};

/// The state of each variable.
using StateChoice = std::vector<std::size_t>;

/// Returns the sum of the entries that an assignment selects. `variables` has the numbers of states.
double total(const std::vector<Variable>& variables, const std::vector<Factor>& factors, const StateChoice& states);

}  // namespace opledger
