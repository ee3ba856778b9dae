#pragma once
#include "formulas/program.h"

/// Reader of the section `sets`.
namespace opledger {

/// Adds an entry `name: value` of `sets`. The value has words, words with texts for published names, or `{operators:
/// NAME}` (all operators that extend this one). A formula for a list makes the list's positions the words. For a word set
/// of the engine the entry only changes texts of words. Reports an unknown word or operator, an operator without
/// extensions, and a set that is declared twice. The engine's sets and Program::operators must be set before.
void add_set(Program& program, const Datum& name, const Datum& value, Diagnostics& diagnostics);

}  // namespace opledger
