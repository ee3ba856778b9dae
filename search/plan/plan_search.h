#pragma once
#include <atomic>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/function_ref.h"
#include "search/plan/plan_values.h"
#include "search/search.h"

/// The searches of a plan: their requests, their answers, and the candidate that answers the question.
namespace opledger {

/// A search of a plan that was run.
struct PlanSearch {
  SearchRequest request;
  SearchAnswer answer;
};

/// A candidate of one of the searches.
struct PlanCandidate {
  const PlanSearch* search = nullptr;
  SearchAnswer::Candidate candidate;
  double objective() const { return candidate.metrics[0].scalar.value; }
};

/// Limits of the searches.
struct PlanLimits {
  std::size_t jobs = 0;                     ///< Threads of a search; 0: the number of processors.
  const std::atomic<bool>* stop = nullptr;  ///< When it becomes true, a search ends with the results so far. Null: never.
};

/// The run searches of a plan. Searches stay at their addresses.
class PlanSearches {
 public:
  PlanSearches(const PlanQuestion& question, PlanLimits limits, Library& library) : question_(question), limits_(limits), library_(library) {}

  /// Extent of the searches: every search of the plan, those up to the first feasible candidate, or these without the
  /// searches that widen another one.
  enum class Extent { all, until_found, until_found_unwidened };

  /// Runs the searches of the plan for these values, in order. Returns false, with errors, if a search fails or if
  /// objectives differ. Without a feasible candidate, `best` stays empty. Searches that only improve others belong to `all`.
  /// With `minimized`, a metric, searches compute nothing else, and each answer has a front with the least value.
  bool run(PlanValues& values, Diagnostics& diagnostics, Extent extent = Extent::all, const std::string& minimized = {});

  /// Returns the finished searches in order.
  const std::list<PlanSearch>& all() const { return all_; }
  /// Returns why spaces have no candidate at all for this question, such as an axis without values.
  const std::vector<std::string>& empty_spaces() const { return empty_spaces_; }
  /// Returns the best candidate; nothing if no candidate is feasible.
  const std::optional<PlanCandidate>& best() const { return best_; }
  /// Returns the chosen candidate: the simplest one that is almost as good as the best, of the first search that has
  /// one. Requires a best candidate.
  PlanCandidate chosen() const {
    return *chosen([](const PlanCandidate&) { return true; });
  }
  /// Returns the chosen one of the accepted candidates, which are the best of all searches for each degree of simplicity;
  /// nothing if none is accepted.
  std::optional<PlanCandidate> chosen(FunctionRef<bool(const PlanCandidate&)> accepts) const;
  /// Returns the best candidate that differs from `chosen` on one of the axes `alternatives`. Nothing, perhaps with
  /// errors, if no feasible candidate differs.
  std::optional<PlanCandidate> alternative(const PlanCandidate& chosen, const std::vector<std::string>& alternatives, Diagnostics& diagnostics);

  /// Returns the loss of a candidate, as a share of the objective of `best`; negative for a better candidate.
  static double loss(const PlanCandidate& best, const PlanCandidate& other);

 private:
  /// Runs one search; see `run`. `screened`: only if it passes the screen of the plan.
  bool run_search(const Datum& search, PlanValues& values, Diagnostics& diagnostics, bool screened, const std::string& minimized);

  /// Returns whether the wider search `screen` of the plan shows that a search has no feasible candidate. It computes one
  /// metric that is cheaper than the objective. Equal screens run once.
  bool fails_screen(const SearchRequest& request);

  const PlanQuestion& question_;
  const PlanLimits limits_;
  Library& library_;
  std::vector<std::map<std::string, std::string>> failed_screens_;  ///< Settings of screens without a feasible candidate.
  std::list<PlanSearch> all_;
  std::vector<std::string> empty_spaces_;
  std::optional<PlanCandidate> best_;
};

}  // namespace opledger
