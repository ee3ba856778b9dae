#pragma once
#include <cstddef>
#include <memory>

#include "search/sweep/tally.h"

namespace opledger {

class TraceCache;

/// The tally of a whole sweep, and the traces of its candidates. A trace is the program recorded while one candidate was
/// evaluated; it is valid for all candidates that satisfy its guards.
struct SweepResult : Tally {
  /// Traces of the sweep. They can evaluate further candidates after it: metrics of the sweep, and `single_metrics`. Null
  /// if several processes searched.
  std::shared_ptr<TraceCache> known;
  /// Number of traces, and of partition groups in which candidates were evaluated. If several processes searched: number
  /// of traces found before the search, and of candidate ranges.
  std::size_t traces = 0, groups = 0;
  bool partial = false;  ///< The sweep was interrupted before the end.
};

}  // namespace opledger
