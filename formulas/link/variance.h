#pragma once
#include <unordered_map>
#include <vector>

#include "formulas/program.h"

/// Analysis of variance: the sets that the value of a name depends on, derived from formulas instead of declared. The
/// result is the key of cached values. It also exposes metrics that vary with a set whose word nobody chose.
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
