#pragma once
#include "formulas/program.h"

namespace opledger {

/// Checks that no function calls itself, directly or through others, because evaluation would not end. Reports the
/// first cycle with its functions, or the first chain of more than kMaxEvaluationDepth nested calls that the search
/// meets. Evaluation limits the depth of other chains itself. Needs linked functions.
void check_calls(const Program& program, Diagnostics& diagnostics);

}  // namespace opledger
