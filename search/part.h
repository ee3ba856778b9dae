#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "search/domains.h"
#include "search/plan.h"

/// The candidates of a space that have one structure and some values in common, evaluated as rows and columns.
namespace opledger {

struct SweepRequest {
  std::size_t top = 10;
  std::vector<std::string> sums;  ///< Metrics that are added up over the feasible candidates.
  std::size_t jobs = 0;           ///< Threads at most; 0: as many as there are processors. No result depends on it.
};

struct Found {
  double score = 0;
  std::vector<double> values;  ///< By axis.
};

struct PartResult {
  std::uint64_t candidates = 0, feasible = 0;
  std::vector<std::uint64_t> refused;  ///< By check of the plan: the first that fails.
  std::vector<double> sums;
  std::vector<Found> best;  ///< The best first; of equals, the first in the order of the space.
};

enum class Assigned { good, empty, error };

/// Gives values to axes in turn. Every thread has its own.
class Assignment {
 public:
  explicit Assignment(Space& space);

  AxisSet all() const { return all_; }
  /// Gives derived axes that can be known their values. Empty: the `where` of one leaves none.
  Assigned derive(AxisSet& known, Diagnostics& diagnostics);
  /// The first wanted axis that isn't known and whose domain is; the number of axes: none.
  std::size_t next(AxisSet known, AxisSet wanted) const;
  const std::vector<double>* domain(std::size_t axis, Diagnostics& diagnostics) { return domains.of(axis, values, diagnostics); }
  /// Whether a candidate comes before another in the order of the space.
  bool precedes(const std::vector<double>& a, const std::vector<double>& b, Diagnostics& diagnostics);

  std::vector<double> values;  ///< By axis; of those that aren't known, any.
  Domains domains;

 private:
  Space& space_;
  AxisSet all_;
};

/// Every thread has its own.
class PartRunner {
 public:
  PartRunner(Space& space, const FreeAxes& free, const SweepRequest& request);
  ~PartRunner();

  /// All candidates with these values of the known axes. Empty, with errors, if one can't be evaluated.
  std::optional<PartResult> run(const Plan& plan, const std::vector<double>& values, AxisSet known, Diagnostics& diagnostics);

 private:
  class Rows;

  Space& space_;
  const FreeAxes& free_;
  const SweepRequest& request_;
  Assignment assignment_;
};

/// Puts a candidate where it belongs among the best, and drops the last if there are more than `top`.
void keep_best(std::vector<Found>& best, Found found, std::size_t top, bool most, Assignment& order, Diagnostics& diagnostics);

}  // namespace opledger
