#pragma once
#include <vector>

#include "search/space.h"

namespace opledger {

/// Warns if a candidate leaves less than 3 % of its capacity free, and names the inputs that stand for what no formula derives. What is its size and its capacity
/// the accounting says (`commands: search`), and the inputs as for `audit`. `candidate`: values of the free axes.
void warn_of_little_room(Space& space, const std::vector<double>& candidate, Diagnostics& diagnostics);

}  // namespace opledger
