#pragma once
#include "questions/fit/fit.h"
#include "questions/fit/fit_prober.h"

namespace opledger {

/// Searches for the largest fitting value of the prober's only key, up to `most`, and writes the result to `out`.
/// `present` is the value in the base run. Candidates differ from it by multiples of `step`; 0: see FitRequest.
void find_largest(FitProber& prober, double present, double step, double most, Fit& out);

/// Counts the first reason of an impossible candidate in Fit::refused; ignores other candidates.
void add_refusal(const FitPoint& point, Fit& out);

/// Searches for the fewest processors over the prober's keys, which are axes, and writes the result to `out`. `others` is
/// the product of the degrees of all other axes; `step` and `most` are as for `totals`.
void find_fewest(FitProber& prober, double others, double step, double most, Fit& out);

}  // namespace opledger
