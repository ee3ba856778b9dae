#include "report/csv_json.h"

#include "report/json_value.h"

#include <cmath>

namespace opledger {
namespace {

/// Returns a cell as JSON. Parsing the cell as JSON decides its type; NaN, infinities and every remaining text stay
/// strings.
Json json_cell(const std::string& cell) {
  if (cell.empty()) return {};
  const Json value = Json::parse(cell, nullptr, false);
  const bool plain = value.is_boolean() || value.is_number_integer() || (value.is_number_float() && std::isfinite(value.get<double>()));
  return plain ? value : Json(cell);
}

}  // namespace

std::string csv_as_json(const std::vector<std::string>& columns, const std::vector<std::string>& cells) {
  Json row = Json::object();
  for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i]] = json_cell(cells[i]);
  const std::string alone = Json::array({std::move(row)}).dump(2, ' ', false, Json::error_handler_t::replace);
  return alone.substr(2, alone.size() - 4);  // The brackets of the array and their line ends are cut off.
}

}  // namespace opledger
