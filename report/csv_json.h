#pragma once
#include <string>

#include "base/csv.h"

namespace opledger {

/// A table as a JSON array of an object for each row: numbers, `true` and `false` as such, empty cells as null, everything else as text.
std::string csv_as_json(const Csv& table);

}  // namespace opledger
