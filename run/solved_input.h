#pragma once
#include <optional>
#include <string>
#include <vector>

#include "run/compiled_program.h"

/// Inputs that follow from constraints. An accounting's `solve` names such an input, a second input that requests the
/// solution, and an upper bound. If a run states the second input and not the first, the first becomes the largest
/// value at which all constraints hold. For example, `clients` requests the number of sequences that decode. Use:
/// `requested_solution` tells which input to solve, InputSolver solves it.
namespace opledger {

/// An input to solve, as the accounting declares it.
struct SolvedInput {
  std::string name;          ///< Name of the input to solve.
  std::string most;          ///< Name of the upper bound, a global number.
  Span span;                 ///< Position in the accounting.
  std::string requested_by;  ///< Input whose value requests the solution.
  std::string served;        ///< Name of the amount that is served if less than requested fits; empty if the accounting names none.
  std::string rest;          ///< Predicate for the remainder in messages, for example `wait`.
};

/// Returns the input that the run requests to solve. Empty if the run requests none or, with errors, if the request is
/// inconsistent.
std::optional<SolvedInput> requested_solution(const LinkedRun& run, Diagnostics& diagnostics);

/// A solver of one input for many candidates. It compiles the run once per set of equivalent candidates.
class InputSolver {
 public:
  /// `inputs` vary between candidates, in addition to the solved input. `run` must outlive the solver.
  InputSolver(const LinkedRun& run, SolvedInput solved, std::vector<std::string> inputs);

  /// Returns the solution for these values of `inputs`, in base units. If no value is feasible, returns 1 or a smaller
  /// upper bound, and constraints then report the reason. If the upper bound is not positive, returns 1. Empty, with
  /// errors, if the run can't be compiled. Costs one evaluation per bisection step.
  std::optional<double> solve(std::vector<double> candidate, Diagnostics& diagnostics);

 private:
  /// Returns whether all constraints hold for a candidate with a value of the solved input.
  bool holds(const std::vector<double>& candidate);

  ProgramCache programs_;
  bool whole_ = false;  ///< The solved input is a whole number.
};

}  // namespace opledger
