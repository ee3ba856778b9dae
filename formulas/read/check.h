#pragma once
#include "formulas/program.h"

/// Check of units and kinds before any computation. Every metric, table, constraint and quantity is evaluated once on
/// units, with both branches of every condition, every word of every set and every operator.
namespace opledger {

/// Returns whether all formulas fit. Reports an error for each that does not, and for each metric that varies with a
/// set whose word nobody chooses.
bool check_units(const Program& program, Diagnostics& diagnostics);

}  // namespace opledger
