#include "report/csv_json.h"

#include "report/json_value.h"

#include <cmath>

namespace opledger {
namespace {

Json json_cell(const std::string& cell) {
  if (cell.empty()) return {};
  const Json value = Json::parse(cell, nullptr, false);
  const bool plain = value.is_boolean() || value.is_number_integer() || (value.is_number_float() && std::isfinite(value.get<double>()));
  return plain ? value : Json(cell);
}

}  // namespace

std::string csv_as_json(const Csv& table) {
  Json rows = Json::array();
  for (const Csv::Row& row : table.rows) {
    Json out = Json::object();
    for (std::size_t i = 0; i < table.columns.size(); ++i) out[table.columns[i]] = json_cell(row.cells[i]);
    rows.push_back(std::move(out));
  }
  return rows.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace opledger
