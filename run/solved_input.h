#pragma once
#include <optional>
#include <string>
#include <vector>

#include "run/structure.h"

/// Inputs that follow from constraints. An accounting's `solve` names such an input, another input that asks for it, and an upper bound. If a run gives the
/// other input and not this one, this one is the largest value at which all constraints hold. For example, `clients` asks for the sequences that decode.
namespace opledger {

struct SolvedInput {
  std::string name;
  std::string most;      ///< Name of the upper bound in the accounting, one number for the whole run.
  Span span;             ///< Position in the accounting.
  std::string asked_by;  ///< The input that asks for it.
  std::string served;    ///< Name of the amount that is served if less than asked fits. Empty: the accounting names none.
  std::string rest;      ///< Verb that says what the rest does, for example `wait`.
};

/// The one that the run asks for; empty: none, or, with errors, it is asked for in a way that can't be.
std::optional<SolvedInput> asked_solution(const Linked& run, Diagnostics& diagnostics);

class InputSolver {
 public:
  /// For runs that differ in these inputs, and in the one that is solved. All must outlive it.
  InputSolver(const Linked& run, SolvedInput solved, std::vector<std::string> inputs);

  /// Returns the solution for these values of the inputs, in base units. If no value holds, returns 1 or a smaller upper bound, and constraints say why. If the
  /// upper bound is no positive number, returns 1. Empty, with errors, if the run can't be compiled. Costs one evaluation per step of a bisection.
  std::optional<double> solve(std::vector<double> candidate, Diagnostics& diagnostics);

 private:
  bool holds(const std::vector<double>& candidate);

  Structures structures_;
  bool whole_ = false;
};

}  // namespace opledger
