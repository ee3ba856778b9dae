#pragma once
#include "formulas/program.h"

namespace opledger {

/// Functions only end if none calls itself, by whatever way. Reports the first circle.
void check_calls(const Program& program, Diagnostics& diagnostics);

}  // namespace opledger
