#pragma once
#include <string>
#include <vector>

#include "find/factors.h"

/// The order in which variables are eliminated, and the tables that each elimination reads. `eliminate` and `pareto`
/// follow the same plan with different entries.
namespace opledger {

inline constexpr double kMostTableEntries = 3e7;  ///< Default limit of combinations that one elimination enumerates.

/// The elimination of one variable: the sum of `tables` is minimized over `variable`, and the result is a table over
/// `scope`. Tables are numbered: first the given factors, then the results of the buckets in their order.
struct Bucket {
  std::size_t variable = 0;
  std::vector<std::size_t> scope;   ///< Other variables of the tables, in ascending order.
  std::vector<std::size_t> tables;  ///< Tables with this variable, in ascending order.
};

/// All eliminations. Variables with one state belong to no scope and have no bucket.
struct EliminationPlan {
  std::vector<Bucket> buckets;
  std::vector<std::size_t> rest;  ///< Tables without a variable; their sum is the result.
  std::string error;              ///< Not empty if an elimination would exceed the limit; the plan is then incomplete.
};

/// Plans the elimination of all variables. The next variable is the one whose elimination enumerates the fewest
/// combinations of states; of equal ones, the first. `factors`: all tables of the problem.
EliminationPlan plan_elimination(const std::vector<Variable>& variables, const std::vector<const Factor*>& factors, double most_entries);

/// Positions in several row-major tables while the states of a scope are enumerated. Variables outside the scope are at
/// their first state.
class Odometer {
 public:
  /// `tables`: the variables of each table.
  Odometer(const std::vector<Variable>& variables, const std::vector<std::size_t>& scope, const std::vector<const std::vector<std::size_t>*>& tables);

  /// Advances to the next combination; the last variable of the scope changes fastest. Returns false after the last one.
  bool advance();
  const std::vector<std::size_t>& positions() const { return positions_; }  ///< Index in each table.

 private:
  struct Digit {
    std::size_t state = 0, states = 1;
    std::vector<std::size_t> strides;  ///< Distance of adjacent states in each table; 0 if a table lacks the variable.
  };

  std::vector<Digit> digits_;
  std::vector<std::size_t> positions_;
};

/// Returns the distance of adjacent states of a variable in a row-major table; 0 if the table lacks the variable.
std::size_t stride_of(const std::vector<Variable>& variables, const std::vector<std::size_t>& table, std::size_t variable);

/// Returns the position of an assignment in a row-major table.
std::size_t position_of(const std::vector<Variable>& variables, const std::vector<std::size_t>& table, const StateChoice& states);

/// Returns the number of combinations of states of some variables.
double combinations(const std::vector<Variable>& variables, const std::vector<std::size_t>& scope);

}  // namespace opledger
