#pragma once
#include "questions/fit/fit.h"
#include "questions/fit/fit_prober.h"

namespace opledger {

/// The largest value of the one key, `step` apart (0: see FitRequest) and at most `most`.
void find_largest(Prober& prober, double present, double step, double most, Fit& out);

/// Counts the first reason of an impossible candidate; ignores other candidates.
void add_refusal(const FitPoint& point, Fit& out);

/// The fewest processors over the keys, which are axes; `others` is the product of all axes that stay.
void find_fewest(Prober& prober, double others, double step, double most, Fit& out);

}  // namespace opledger
