#pragma once
#include <string>
#include <vector>

#include "graph/annotations.h"

/// Invariants that hold after building and after every pass. What is returned is a defect of the program, never of the input.
namespace opledger {

std::vector<std::string> verify(const Graph& graph);
std::vector<std::string> verify(const Graph& graph, const Annotations& annotations);

}  // namespace opledger
