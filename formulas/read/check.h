#pragma once
#include "formulas/program.h"

/// Units and forms, checked before anything is computed: every metric, table, constraint and quantity is evaluated once on units, taking both sides of
/// every condition, every word of every set and every operator.
namespace opledger {

/// False, with errors, if some formula does not fit. A metric that varies with something nobody chose is one of them.
bool check_units(const Program& program, Diagnostics& diagnostics);

}  // namespace opledger
