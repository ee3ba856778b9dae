#pragma once
#include <cstddef>
#include <memory>

#include "search/sweep/tally.h"

namespace opledger {

class TraceCache;

/// The tally of a whole sweep, and the traces of its candidates.
struct SweepResult : Tally {
  std::shared_ptr<TraceCache> known;   ///< Traces of the sweep, which evaluate all metrics of the sweep and the single metrics.
  std::size_t traces = 0, groups = 0;  ///< Number of traces, and of partition groups in which candidates were evaluated.
  bool partial = false;                ///< The sweep was interrupted before the end.
};

}  // namespace opledger
