#pragma once
#include <string>
#include <vector>

#include "graph/annotations.h"

/// Checks of invariants, after construction of an annotated graph. A violation is a defect of the program, not of its
/// input.
namespace opledger {

/// Returns a sentence for each violated invariant of a graph, such as a node that reads a later tensor; empty if all
/// hold.
std::vector<std::string> verify(const Graph& graph);
/// Returns a sentence for each violated invariant of annotations, such as an axis that one placement uses twice. The
/// graph itself must be valid.
std::vector<std::string> verify(const Graph& graph, const Annotations& annotations);

}  // namespace opledger
