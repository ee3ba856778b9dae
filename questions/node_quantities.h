#pragma once
#include <string>
#include <utility>
#include <vector>

#include "formulas/program.h"

namespace opledger {

/// Returns the quantities of nodes in the accounting's report `node`, in its order: label and name. Other names in the
/// report are left out.
std::vector<std::pair<std::string, const Name*>> node_quantities(const Program& program);

}  // namespace opledger
