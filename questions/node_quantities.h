#pragma once
#include <string>
#include <utility>
#include <vector>

#include "formulas/program.h"

namespace opledger {

/// Returns the quantities in the accounting's report `node`, in its order: label and name. Each has a value in every
/// phase.
std::vector<std::pair<std::string, const Name*>> node_quantities(const Program& program);

}  // namespace opledger
