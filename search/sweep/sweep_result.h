#pragma once
#include <cstddef>
#include <memory>

#include "search/sweep/tally.h"

namespace opledger {

class KnownStructures;

/// The tally of a whole sweep, and the structures that the sweep has met.
struct SweepResult : Tally {
  std::shared_ptr<KnownStructures> known;  ///< All that were met, whose question asks for what the sweep did and for what was to be told.
  std::size_t structures = 0, parts = 0;   ///< Compiled on the way; what they were evaluated in.
  bool partial = false;                    ///< It was stopped before the end.
};

}  // namespace opledger
