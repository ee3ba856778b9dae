#pragma once
#include "tests/cli/page.h"

/// Compares the output on a page with the printed output. A line `…` on the page stands for any lines, and `…` within
/// a line for any text.
namespace opledger {

bool shows(const Lines& shown, const Lines& printed);

/// Returns the new shown lines for a printed output. Shown lines stay if they agree with the output, gaps (`…`)
/// included; all other lines are replaced. Review lines that can't be aligned.
Lines renewed(const Lines& shown, const Lines& printed);

}  // namespace opledger
