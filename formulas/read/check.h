#pragma once
#include "formulas/program.h"

/// Check of units and kinds before any computation. Every metric, table, constraint and quantity is evaluated once on
/// units, with both branches of every condition, every word of every set and every operator.
namespace opledger {

/// Returns whether all formulas of a linked program have fitting units and kinds. Reports an error for each formula
/// that has not, and for each metric that depends on a set without a chosen word. The cost does not depend on the size
/// of a graph.
bool check_units(const Program& program, Diagnostics& diagnostics);

}  // namespace opledger
