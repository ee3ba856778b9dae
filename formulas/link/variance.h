#pragma once
#include <unordered_map>
#include <vector>

#include "formulas/program.h"

/// Which sets the value of a name may depend on: found from its formulas, never declared. It keys what is remembered, and tells a metric that
/// varies with something nobody chose.
namespace opledger {

/// Fills Name::variance and that of functions, to a fixed point over all definitions.
void find_variance(Program& program);
/// The same for names that are linked over a program.
void find_variance(const Program& program, Formulas& added);

/// Definitions that nodes give of names besides the program's.
using FurtherDefinitions = std::unordered_map<const Name*, std::vector<const Def*>>;
/// The variance of names and functions (of the program and of what is linked over it) that vary with more by such definitions, or by what has such.
Widened widened(const Program& program, const Formulas& added, const FurtherDefinitions& further);

/// The sets that a formula's value may depend on.
std::uint64_t varies(const Program& program, const Formula& formula, const Widened& widened);

}  // namespace opledger
