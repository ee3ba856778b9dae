#pragma once
#include "compare/difference.h"

/// Two accountings: one says what the other's metrics and elements are in its own terms (`compares`).
namespace opledger {

/// Adds what `teller` says of the metrics and elements of `other`'s accounting. False: nothing.
bool compare_counterparts(Run& teller, Run& other, bool teller_is_second, Differences& out);

}  // namespace opledger
