#pragma once
#include <vector>

#include "formulas/program.h"

/// `for: SETS` of a group of `let`s: what its names are said to vary with, held against what they do vary with.
namespace opledger {

struct Declared {
  const Name* name = nullptr;
  std::vector<SetId> sets;
};

/// An error for every name that varies with more than the sets that are declared, what these belong to, and sets that have a current word wherever nothing
/// chooses one: at its definition, with the names through which it does, and a note where the last of these reads or visits it. A name whose way leads
/// through another one with the same mistake is left out. Needs the variance of all names.
void check_declared(const Program& program, const std::vector<Declared>& all, Diagnostics& diagnostics);

}  // namespace opledger
