#pragma once
#include <cstddef>
#include <memory>

#include "search/sweep/tally.h"

namespace opledger {

class KnownStructures;

/// The tally of a whole sweep, and the traces of its candidates.
struct SweepResult : Tally {
  std::shared_ptr<KnownStructures> known;  ///< Traces of the sweep, which evaluate all metrics of the sweep and the single metrics.
  std::size_t structures = 0, parts = 0;   ///< Number of traces, and of partition groups in which candidates were evaluated.
  bool partial = false;                    ///< The sweep was interrupted before the end.
};

}  // namespace opledger
