#pragma once
#include <string>
#include <vector>

namespace opledger {

/// Returns a CSV row as an indented object inside a JSON array. Numbers, `true` and `false` become JSON literals, empty
/// cells null, every remaining cell a string.
std::string csv_as_json(const std::vector<std::string>& columns, const std::vector<std::string>& cells);

}  // namespace opledger
