#pragma once
#include "formulas/program.h"

/// Check of units and kinds before any computation. Every metric, table, constraint and quantity is evaluated once on
/// units. The evaluation visits both branches of every condition, the cases of all words, and every operator in use.
namespace opledger {

/// Returns whether these formulas, and the names that they read, have fitting units and kinds. Reports the first error of
/// each evaluated formula, and metrics that need a set without a chosen word. The cost does not depend on the size of a
/// graph.
bool check_units(const Program& program, Diagnostics& diagnostics);

}  // namespace opledger
