#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "run/compiled_program.h"
#include "search/space/domains.h"
#include "search/sweep/sweep.h"

/// The oracle for sweeps: evaluates every candidate of a space by itself, in order. Axes stop as soon as the enumeration meets a
/// value without a feasible candidate.
namespace opledger {

class OneByOne {
 public:
  enum class Sharing : std::uint8_t {
    structures,  ///< Candidates with the same guards share a compiled program; for larger spaces.
    nothing      ///< Domains and formulas are compiled anew for each candidate.
  };
  OneByOne(Space& space, const SweepRequest& request, Sharing sharing = Sharing::structures);

  Diagnostics diagnostics;  ///< Errors make the answer void: a candidate or a domain can't be evaluated.
  SweepResult result;
  struct Refused {
    std::uint64_t scored = 0;             ///< Number of candidates with a score.
    std::optional<ScoredCandidate> best;  ///< Best of the candidates with a score.
  };
  std::map<std::string, Refused> refused;     ///< Refused candidates by reason.
  std::vector<std::vector<double>> feasible;  ///< Axis values, then metrics, of each feasible candidate.

 private:
  struct Met {
    bool some = false, feasible = false;  ///< The subtree has a candidate; it has a feasible candidate.
  };

  Met visit(std::size_t axis);
  std::optional<std::vector<double>> domain(std::size_t axis);
  bool evaluate();
  CompiledProgram::Result answer(const std::vector<double>& candidate);
  void compare_with_numbers(const std::vector<double>& candidate, const CompiledProgram::Result& recorded);
  bool better(double score, double than) const { return space_.maximize ? score > than : score < than; }

  Space& space_;
  const SweepRequest& request_;
  const Sharing sharing_;
  Domains domains_;
  Query question_;
  ProgramCache structures_;
  std::vector<double> values_;
};

}  // namespace opledger
