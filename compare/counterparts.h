#pragma once
#include "compare/difference.h"

/// Comparison of two accounting conventions through `compares`, in which one accounting defines the other's metrics and
/// elements in its own terms.
namespace opledger {

/// Adds the differences that the accounting of `declaring` defines for metrics and elements of `other`. Returns false
/// if it defines none.
bool compare_counterparts(Run& declaring, Run& other, bool declaring_is_second, Differences& out);

}  // namespace opledger
