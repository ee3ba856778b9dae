#pragma once
#include <vector>

#include "formulas/link/linker.h"

/// Reader of tables, and of texts with values.
namespace opledger {

/// Reads a text with values: `{FORMULA}` prints a value, `{FORMULA:.3}` prints it with three digits after the point.
/// Formulas are linked in `scope`; errors are reported, and such a part has no value.
std::vector<MessagePart> read_message(const Datum& message, const NameScope& scope, Linker& linker, Diagnostics& diagnostics);

/// Adds a table to the program or replaces one of the same name. Reports an error and adds nothing if `rows` names no
/// set. Other errors, such as an unknown column, are reported, and the table is added.
void read_table(const Datum& name, const Datum& table, Program& program, Linker& linker, Diagnostics& diagnostics);

}  // namespace opledger
