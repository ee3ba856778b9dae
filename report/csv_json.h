#pragma once
#include <string>
#include <vector>

namespace opledger {

/// Returns a CSV row as a JSON object, indented as an item of an array, without comma and line end. The keys are
/// `columns`, as many as `cells`. Numbers, `true` and `false` become JSON literals, empty cells null, every remaining
/// cell a string.
std::string csv_as_json(const std::vector<std::string>& columns, const std::vector<std::string>& cells);

}  // namespace opledger
