#pragma once
#include <string>
#include <vector>

namespace opledger {

/// A row of a table as one of a JSON array of objects, with its indentation: numbers, `true` and `false` as such, empty cells as null, everything else as text.
std::string csv_as_json(const std::vector<std::string>& columns, const std::vector<std::string>& cells);

}  // namespace opledger
