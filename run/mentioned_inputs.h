#pragma once
#include <set>

#include "run/annotated_graph.h"
#include "run/linked_run.h"

/// The inputs that a run's formulas mention. Any other input can only affect construction of the graph, through
/// conditions of rules and blocks; a search need not vary it in the formulas.
namespace opledger {

/// Returns the inputs mentioned in the program, in the sections `play` and `streams`, and in `further`. The result is
/// conservative: formulas that are never evaluated count too.
std::set<const Name*> mentioned_inputs(const LinkedRun& run, const std::vector<const Formula*>& further);

/// Returns the inputs mentioned by the formulas of a graph.
std::set<const Name*> mentioned_inputs(const Program& program, const GraphRun& graph);

}  // namespace opledger
