#pragma once
#include "tests/cli/page.h"

/// What a page shows of an output: its lines, where a line `…` stands for any lines, and `…` within a line for any text.
namespace opledger {

bool shows(const Lines& shown, const Lines& printed);

/// What should be shown of `printed`: where the two agree, what is shown, `…` too; elsewhere what is printed. Where they can't be aligned, read it.
Lines renewed(const Lines& shown, const Lines& printed);

}  // namespace opledger
