#pragma once
#include <vector>

#include "formulas/program.h"

/// Check of declared variance: a group of definitions may state the sets that its names vary with, `for: SETS`.
namespace opledger {

/// A declaration: the value of `name` may vary only with `sets`.
struct Declared {
  const Name* name = nullptr;
  std::vector<SetId> sets;
};

/// Reports every name that varies with more sets than declared. Allowed are the declared sets, sets that their elements
/// belong to, and sets with a current word at every point. The error lists the names between the declaration and the
/// cause; a note marks the formula that reads the set. A name is left out if its dependence leads through another name
/// with an undeclared dependence on the same set. Variances must be known.
void check_declared(const Program& program, const std::vector<Declared>& all, Diagnostics& diagnostics);

}  // namespace opledger
