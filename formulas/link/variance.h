#pragma once
#include <unordered_map>
#include <vector>

#include "formulas/program.h"

/// Dependence analysis. The variance of a name is the sets whose words its value depends on, as free variables of a
/// term; it has nothing to do with statistics. It is derived from the formulas, not declared. Caches use it as the key
/// of a value, and a metric that varies with a set is an error unless a word of the set is chosen.
namespace opledger {

/// Fills Name::variance and Function::variance by a fixed-point iteration over all definitions.
void find_variance(Program& program);
/// Does the same for names linked over an unchanged program.
void find_variance(const Program& program, Formulas& added);

/// Definitions that nodes add to names of the program.
using FurtherDefinitions = std::unordered_map<const Name*, std::vector<const Def*>>;
/// Returns the variances of all names and functions that depend on more sets because of `further`, directly or through
/// other names.
Widened widened(const Program& program, const Formulas& added, const FurtherDefinitions& further);

/// Returns the mask of sets that a formula's value depends on.
std::uint64_t varies(const Program& program, const Formula& formula, const Widened& widened);

}  // namespace opledger
