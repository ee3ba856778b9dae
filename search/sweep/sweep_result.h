#pragma once
#include <cstddef>
#include <memory>

#include "search/sweep/tally.h"

namespace opledger {

class KnownStructures;

/// The tally of a whole sweep, and the structures of its candidates.
struct SweepResult : Tally {
  std::shared_ptr<KnownStructures> known;  ///< All structures of the sweep; they evaluate the metrics of the sweep, and `told`.
  std::size_t structures = 0, parts = 0;   ///< Numbers of compiled structures, and of parts in which they were evaluated.
  bool partial = false;                    ///< The sweep was stopped before the end.
};

}  // namespace opledger
