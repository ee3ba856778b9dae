#pragma once
#include <string>
#include <vector>

#include "graph/annotations.h"

/// Returns violated invariants of a graph, and of its annotations. Every entry is a defect of the program, not of its
/// input.
namespace opledger {

std::vector<std::string> verify(const Graph& graph);
std::vector<std::string> verify(const Graph& graph, const Annotations& annotations);

}  // namespace opledger
