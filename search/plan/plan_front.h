#pragma once
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "search/plan/plan_search.h"
#include "search/plan/plan_writer.h"

/// The Pareto front of a plan: the candidates of all its searches that no candidate of any search dominates in the
/// metrics of the plan's front.
namespace opledger {

/// A front with its searches, which own the texts of its candidates.
struct PlanFront {
  /// A candidate of the front.
  struct Point {
    PlanCandidate candidate;
    std::vector<PlanLine::Part> parts;  ///< The candidate in the words of the plan.
  };
  std::list<PlanSearch> searches;
  std::vector<Point> points;  ///< Best in the first metric first.
};

/// Runs finished searches again, with the metrics of the plan's front, and joins their fronts. Returns nothing,
/// with errors, if the plan has no front, a search fails, or a text can't be evaluated.
std::optional<PlanFront> plan_front(const PlanQuestion& question, const PlanSearches& searches, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
