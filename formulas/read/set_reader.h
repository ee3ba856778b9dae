#pragma once
#include "formulas/program.h"

namespace opledger {

/// An entry of `sets`: words, words and their texts, `{operators: NAME}`, or a formula whose positions are the words. Of one of the engine's sets: the texts of
/// its words. Program::operators must be known.
void add_set(Program& program, const Datum& name, const Datum& value, Diagnostics& diagnostics);

}  // namespace opledger
