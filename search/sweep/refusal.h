#pragma once
#include <string>

#include "run/trace.h"

/// Reasons of refusal: candidates that a check refuses are counted by reason.
namespace opledger {

/// Returns the reason of a check: its `reason`, else its message with formulas in place of values that depend on the
/// candidate.
std::string reason_of(const Trace::Check& check);

/// Inverts a trace for one reason. Feasible are then exactly the candidates whose first failing check has the reason.
/// No candidate is feasible if the objective has no value.
void keep_refused(Trace& trace, const std::string& reason);

}  // namespace opledger
