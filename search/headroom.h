#pragma once
#include <span>
#include <string>
#include <vector>

#include "search/space/space.h"

namespace opledger {

/// What must be known of a candidate for that, by its names: its size and its capacity, which the accounting says (`commands: search`), and inputs that it names
/// for `audit`. Empty if it says neither.
std::vector<std::string> headroom_names(const Program& program);

/// Warns if a candidate leaves less than 3 % of its capacity free, and names the inputs that stand for what no formula derives.
/// `values`: by name.
void warn_about_headroom(const Program& program, std::span<const Value> values, Diagnostics& diagnostics);

}  // namespace opledger
