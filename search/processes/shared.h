#pragma once
#include "search/processes/ranks.h"
#include "search/sweep/sweep_request.h"
#include "search/sweep/sweep_result.h"

/// One search by several processes: the leader hands stretches of the space out, a few at a time to whoever has nothing to do, and puts what the others
/// find together in the order of the space, so that the result is that of one process. It does not search itself.
namespace opledger {

/// The leader's part, in place of `sweep`. The others must be served by `serve`, and dismissed afterwards.
std::optional<SweepResult> lead(Space& space, const SweepRequest& request, Ranks& ranks, Diagnostics& diagnostics);

/// The part of all others: searches what it is told to, until it is dismissed.
void serve(Space& space, const SweepRequest& request, Ranks& ranks);

/// Tells the leader that this process can't take part, and why.
void give_up(Ranks& ranks, const Diagnostics& why);

/// Lets the others end.
void dismiss(Ranks& ranks);

}  // namespace opledger
