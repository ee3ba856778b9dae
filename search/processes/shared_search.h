#pragma once
#include "search/processes/ranks.h"
#include "search/sweep/sweep_request.h"
#include "search/sweep/sweep_result.h"

/// One search by several processes. The leader hands out ranges of the space, a few at a time, to idle followers, and
/// assembles their results in the order of the space. Candidates, counts and sums are therefore equal to those of a
/// single process. The leader doesn't search.
namespace opledger {

/// Runs the leader's part, in place of `sweep`, and returns the result of the whole sweep. Nothing, with errors, if a
/// rank fails, a domain can't be evaluated, rows can't be written, or the space has no candidates. The followers must
/// run `serve`. The caller must call `dismiss` afterwards, also after a failure.
std::optional<SweepResult> lead(Space& space, const SweepRequest& request, Ranks& ranks, Diagnostics& diagnostics);

/// Runs a follower's part: traces and searches on request of the leader, until dismissed or interrupted, or after an
/// error. Results and errors go to the leader. `request`: the options of the whole search, equal in all processes.
void serve(Space& space, const SweepRequest& request, Ranks& ranks);

/// Tells the leader that this process can't take part, with the first error as the reason; sends nothing without an
/// error.
void give_up(Ranks& ranks, const Diagnostics& why);

/// Tells the followers to end.
void dismiss(Ranks& ranks);

}  // namespace opledger
