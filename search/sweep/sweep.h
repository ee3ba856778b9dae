#pragma once
#include <memory>
#include <optional>

#include "search/sweep/known_structures.h"
#include "search/sweep/part.h"

/// Goes over all candidates of a space and keeps the best.
namespace opledger {

struct SweepResult : Tally {
  std::shared_ptr<KnownStructures> known;  ///< All that were met, whose question asks for what the sweep did and for what was to be told.
  std::size_t structures = 0, parts = 0;   ///< Compiled on the way; what they were evaluated in.
  bool partial = false;                    ///< It was stopped before the end.
};

/// Candidates of a stretch at most. The more the faster, since their prefixes have more in common; but all that are feasible are held when they are listed,
/// there must be some for everyone when they are shared, and who watches wants to see it go on. Where they are listed it depends on the space alone. `stops`:
/// some axis does.
std::uint64_t most_of_stretch(std::uint64_t total, const SweepRequest& request, bool stops);

/// What a sweep asks of every candidate: what decides and what is listed first, then what is told of single ones.
Question question_of(const Space& space, const SweepRequest& request);

/// Empty, with errors, if some candidate can't be evaluated.
std::optional<SweepResult> sweep(Space& space, const SweepRequest& request, Diagnostics& diagnostics);

}  // namespace opledger
