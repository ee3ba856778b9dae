#pragma once
#include <cstddef>
#include <memory>

#include "search/sweep/tally.h"

namespace opledger {

class TraceCache;

/// The tally of a whole sweep, and the traces of its candidates. A trace is the program recorded while one candidate was
/// evaluated; it is valid for all candidates that satisfy its guards.
struct SweepResult : Tally {
  /// Traces of the sweep. They can evaluate further candidates after it: metrics of the sweep, and `single_metrics`.
  std::shared_ptr<TraceCache> known;
  std::size_t traces = 0, groups = 0;  ///< Number of traces, and of partition groups in which candidates were evaluated.
  bool partial = false;                ///< The sweep was interrupted before the end.
};

}  // namespace opledger
