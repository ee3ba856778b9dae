#pragma once
#include "questions/fit/fit.h"
#include "questions/fit/fit_prober.h"

namespace opledger {

/// Searches for the largest value of the one key up to `most`. The distance between candidates is `step`; 0: see
/// FitRequest.
void find_largest(FitProber& prober, double present, double step, double most, Fit& out);

/// Counts the first reason of an impossible candidate; ignores other candidates.
void add_refusal(const FitPoint& point, Fit& out);

/// Searches for the fewest processors over the keys, which are axes. `others`: product of the degrees of all other
/// axes.
void find_fewest(FitProber& prober, double others, double step, double most, Fit& out);

}  // namespace opledger
