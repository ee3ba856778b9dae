#pragma once
#include <memory>
#include <string>
#include <vector>

#include "report/report.h"

namespace opledger {

/// Rows that agree in all columns but these become one, where the first of them stood; each of these columns then has the list of their values, in order.
/// Lists are kept in `kept`. Columns that the table has not are passed over.
void collect(const std::vector<std::string>& columns, ReportTable& table, std::vector<std::shared_ptr<const void>>& kept);

}  // namespace opledger
