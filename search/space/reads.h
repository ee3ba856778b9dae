#pragma once
#include "search/space/space.h"

namespace opledger {

/// Returns the names of inputs that the domain of an axis mentions directly, each once, without the axis itself.
std::vector<std::string> input_names(const SpaceAxis& axis);

/// Sets `reads` of every axis: the axes on which its domain depends, through every name that its formulas use.
/// Returns false, with an error for each axis that depends on itself or on a later axis, because such a domain can't
/// be computed in order.
bool find_reads(const Program& program, std::vector<SpaceAxis>& axes, Diagnostics& diagnostics);

}  // namespace opledger
