#pragma once
#include <memory>
#include <string>
#include <vector>

#include "search/assembly.h"
#include "search/part.h"

/// Parts of stretches that wait to be evaluated: on all processors, in any order, and put together in theirs, so that nothing depends on how many are at work.
namespace opledger {

class PartQueue {
 public:
  /// `outputs`: names of the metrics of a plan, those that the request wants of every feasible candidate last.
  PartQueue(Space& space, const FreeAxes& free, Stops& stops, const SweepRequest& request, std::vector<std::string> outputs, Assembly& assembly);
  ~PartQueue();

  /// Parts come stretch by stretch; those that look at an axis that stops are evaluated before others come. Some may be evaluated at once. False, with
  /// errors, or because the search was stopped: there is nothing more to do.
  bool add(Part part, Diagnostics& diagnostics);
  /// Evaluates those that wait.
  bool run(Diagnostics& diagnostics);

  std::uint64_t total = 0;  ///< Candidates of the space, for those who watch.

 private:
  struct Waiting {
    Part part;
    Diagnostics diagnostics;
    std::optional<PartResult> result;
  };

  bool full(const Part& next) const;
  void tell(std::uint64_t done) const;
  bool has_metrics(const std::vector<Value>& metrics, PartResult& part, Diagnostics& diagnostics) const;

  Space& space_;
  const FreeAxes& free_;
  Stops& stops_;
  const SweepRequest& request_;
  std::vector<std::string> outputs_;
  Assembly& assembly_;
  struct Runners;
  std::unique_ptr<Runners> runners_;  ///< By thread.
  std::vector<Waiting> waiting_;
};

}  // namespace opledger
