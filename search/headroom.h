#pragma once
#include <span>
#include <string>
#include <vector>

#include "search/space/space.h"

/// A check of free memory: a best candidate close to the capacity may not fit in practice, because some memory is only
/// estimated.
namespace opledger {

/// Returns the names to evaluate for the check: size and capacity (roles in `commands: search` of the accounting), then the
/// estimated inputs (`commands: audit`). Empty if the accounting has no size or no capacity.
std::vector<std::string> headroom_names(const Program& program);

/// Warns if a candidate leaves less than 3 % of the capacity free. The warning lists the estimated inputs with
/// their values. `values`: one for each name of `headroom_names`. No warning if `values` is empty, or if size or capacity
/// is no number.
void warn_about_headroom(const Program& program, std::span<const Value> values, Diagnostics& diagnostics);

}  // namespace opledger
