#pragma once
#include <unordered_map>
#include <vector>

#include "formulas/program.h"

/// Dependence analysis. The variance of a name is the sets whose words its value depends on, as free variables of a
/// term; it has nothing to do with statistics. It is derived from the formulas, not declared. Caches use it as the key
/// of a value. A value that needs a set can be evaluated only where a word of the set is chosen.
namespace opledger {

/// Fills Name::variance and Function::variance of all names and functions by a fixed-point iteration over their
/// definitions, which must be linked. One round costs one visit of each use of a name.
void find_variance(Program& program);
/// Fills the variances of names and functions in `added`, which are linked over an unchanged program.
void find_variance(const Program& program, Formulas& added);

/// Definitions that single nodes of a graph add to names of the program.
using FurtherDefinitions = std::unordered_map<const Name*, std::vector<const Def*>>;
/// Returns the new variances of all names and functions that depend on more sets because of `further`, directly or
/// through other names. `added` has names linked over the program. Usually empty.
Widened widened(const Program& program, const Formulas& added, const FurtherDefinitions& further);

/// Returns the mask of sets (see `bit`) that a formula's value depends on. `widened` replaces variances of names and
/// functions for a graph with further definitions; empty: the program's variances count.
std::uint64_t varies(const Program& program, const Formula& formula, const Widened& widened);

}  // namespace opledger
