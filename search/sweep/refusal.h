#pragma once
#include <string>

#include "run/trace.h"

namespace opledger {

/// What candidates are counted under that a check refuses: its reason, or its message with formulas in the place of values.
std::string reason_of(const Trace::Check& check);

/// Turns a trace around: feasible are then exactly those candidates that are refused for this reason, the first that fails. None where what is best has no value.
void keep_refused(Trace& trace, const std::string& reason);

}  // namespace opledger
