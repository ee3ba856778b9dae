#pragma once
#include <optional>
#include <string>
#include <vector>

#include "run/structure.h"

/// Inputs that follow from what must hold. An accounting's `solve` names such an input, another one that asks for it, and the most that it can be: where the other one is given and
/// it is not, it is the largest value at which all constraints hold. Sequences that decode where so many clients send requests are one.
namespace opledger {

struct SolvedInput {
  std::string name;
  std::string most;      ///< A name of the accounting that varies with nothing.
  Span span;             ///< Where the accounting says so.
  std::string asked_by;  ///< The input that asks for it.
  std::string served;    ///< A name: for how much of what is asked for there is room. Empty: the accounting says nothing of it.
  std::string rest;      ///< A verb: the fate of the rest, for example `wait`.
};

/// The one that the run asks for; empty: none, or, with errors, it is asked for in a way that can't be.
std::optional<SolvedInput> asked_solution(const Linked& run, Diagnostics& diagnostics);

class InputSolver {
 public:
  /// For runs that differ in these inputs, and in the one that is solved. All must outlive it.
  InputSolver(const Linked& run, SolvedInput solved, std::vector<std::string> inputs);

  /// For these values of the inputs, in base units. If nothing holds, 1, or less if it can't be as much: constraints say why. If there is no most, 1. Empty, with errors, if that can't be told.
  std::optional<double> solve(std::vector<double> candidate, Diagnostics& diagnostics);

 private:
  bool holds(const std::vector<double>& candidate);

  Structures structures_;
  bool whole_ = false;
};

}  // namespace opledger
