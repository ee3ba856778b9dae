#pragma once
#include "formulas/program.h"

namespace opledger {

/// Checks that no function calls itself, directly or through others, because evaluation would not end. Reports the
/// first cycle, or a chain of calls deeper than kMaxEvaluationDepth.
void check_calls(const Program& program, Diagnostics& diagnostics);

}  // namespace opledger
