#pragma once
#include "formulas/program.h"

namespace opledger {

/// Adds an entry of `sets`: words, words with texts, `{operators: NAME}`, or a formula for a list whose positions are
/// the words. For an engine set the entry only changes texts of words. Program::operators must be set.
void add_set(Program& program, const Datum& name, const Datum& value, Diagnostics& diagnostics);

}  // namespace opledger
