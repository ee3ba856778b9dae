#pragma once
#include <vector>

#include "formulas/link/linker.h"

/// Tables of an accounting, and texts with values in them.
namespace opledger {

/// `{FORMULA}` prints a value, `{FORMULA:.3}` with that many digits after the point.
std::vector<MessagePart> read_message(const Datum& message, const NameScope& scope, Linker& linker, Diagnostics& diagnostics);

/// Adds it to the program, in the place of one of the same name.
void read_table(const Datum& name, const Datum& table, Program& program, Linker& linker, Diagnostics& diagnostics);

}  // namespace opledger
