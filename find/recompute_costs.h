#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "find/factors.h"
#include "find/recompute_rules.h"
#include "run/run.h"

/// The seconds and bytes of recomputation, read from the section `find` of a run's accounting.
namespace opledger {

/// The choice for one repeated segment. Seconds and bytes count the whole step, as the accounting states them.
struct SegmentCosts {
  SegmentId segment;
  std::vector<NodeId> nodes;  ///< Node of each variable, up to their number; further variables are auxiliary.
  FactorProblem problem;      ///< State 1: recomputed. `cost` are seconds, `size` saved bytes.
  /// Seconds and saved bytes if the whole segment is recomputed, so that only the input of each layer is saved.
  double whole_seconds = 0, whole_bytes = 0;
};

/// Prepares the run with a choice. Null if this fails.
using ChosenRun = std::function<std::unique_ptr<Run>(const RecomputeChoice&)>;

/// Reads the costs of all repeated segments of a run that recomputes none of their nodes. `chosen` is called for a few
/// choices: a tensor that no gradient reads is saved, and thus measured, only if one of its readers is recomputed.
/// Empty, with errors, if the run has no graph, or the accounting lacks a formula.
std::optional<std::vector<SegmentCosts>> read_recompute_costs(Run& run, const ChosenRun& chosen, Diagnostics& diagnostics);

}  // namespace opledger
