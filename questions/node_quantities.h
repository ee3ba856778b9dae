#pragma once
#include <string>
#include <utility>
#include <vector>

#include "formulas/program.h"

namespace opledger {

/// What the accounting tells of a node (its report `node`), in its order: what the report calls it, and the name, which has a value in each phase.
std::vector<std::pair<std::string, const Name*>> node_quantities(const Program& program);

}  // namespace opledger
