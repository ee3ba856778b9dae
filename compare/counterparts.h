#pragma once
#include "compare/difference.h"

/// Comparison of two accounting conventions through `compares`, in which one accounting defines the other's metrics and
/// elements in its own terms.
namespace opledger {

/// Compares two runs by the section `compares` in the accounting of `declaring`, which defines metrics and elements
/// of `other`'s accounting in its own terms. Appends different metrics to `out.metrics` and different elements to
/// `out.entries`. The value of `declaring` comes second in a difference if `declaring_is_second`, otherwise first.
/// Returns false if the section does not mention `other`'s accounting.
bool compare_counterparts(Run& declaring, Run& other, bool declaring_is_second, Differences& out);

}  // namespace opledger
