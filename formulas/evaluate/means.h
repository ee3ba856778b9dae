#pragma once
#include <unordered_map>

#include "formulas/formula.h"

/// Dependence on averages, derived from formulas without their values.
namespace opledger {

using Replacements = std::unordered_map<const Name*, const Name*>;  ///< The replacement of each replaced name.

/// Returns whether the formula, or a definition that it refers to, names an input that is an average (`mean`).
bool reads_mean(const Formula& formula, const Replacements& replacements);

}  // namespace opledger
