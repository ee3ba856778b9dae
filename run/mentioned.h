#pragma once
#include <set>

#include "run/annotated.h"
#include "run/linked.h"

/// Which inputs a run's formulas mention: the value of any other decides nothing but, by conditions of rules and blocks, how the graph is built.
namespace opledger {

/// In the program, in the sections that the engine plays, and in these formulas. More than are ever asked for.
std::set<const Name*> mentioned(const Linked& run, const std::vector<const Formula*>& further);

/// By what a graph gives as formulas.
std::set<const Name*> mentioned(const Program& program, const GraphRun& graph);

}  // namespace opledger
