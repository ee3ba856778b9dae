#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "run/structure.h"
#include "search/space/domains.h"
#include "search/sweep/sweep.h"

/// Every candidate of a space in its order, each evaluated by itself: what a sweep must find. Axes that stop do so as one who goes along sees it.
namespace opledger {

class OneByOne {
 public:
  enum class Sharing : std::uint8_t {
    structures,  ///< Candidates of one structure share its compiled form: for larger spaces.
    nothing      ///< Domains and formulas are compiled anew for each candidate.
  };
  OneByOne(Space& space, const SweepRequest& request, Sharing sharing = Sharing::structures);

  Diagnostics diagnostics;  ///< Failed: a candidate or a domain can't be evaluated, and the rest is no answer.
  SweepResult result;
  struct Refused {
    std::uint64_t scored = 0;   ///< Those with a score,
    std::optional<ScoredCandidate> best;  ///< and the best of them.
  };
  std::map<std::string, Refused> refused;     ///< By reason.
  std::vector<std::vector<double>> feasible;  ///< Values, then metrics.

 private:
  struct Met {
    bool some = false, feasible = false;  ///< Candidates.
  };

  Met visit(std::size_t axis);
  std::optional<std::vector<double>> domain(std::size_t axis);
  bool evaluate();
  Structure::Result answer(const std::vector<double>& candidate);
  void compare_with_numbers(const std::vector<double>& candidate, const Structure::Result& recorded);
  bool better(double score, double than) const { return space_.maximise ? score > than : score < than; }

  Space& space_;
  const SweepRequest& request_;
  const Sharing sharing_;
  Domains domains_;
  Question question_;
  Structures structures_;
  std::vector<double> values_;
};

}  // namespace opledger
