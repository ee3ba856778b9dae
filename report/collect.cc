#include "report/collect.h"

#include <algorithm>
#include <map>

#include "accounting/value.h"
#include "base/units.h"

namespace opledger {
namespace {

/// Texts that are equal where values are.
std::string key_of(const Value& value) { return value.is_number() ? exact(value.scalar.value) : human(value); }

}  // namespace

void collect(const std::vector<std::string>& columns, ReportTable& table, std::vector<std::shared_ptr<const void>>& kept) {
  const std::size_t width = table.columns.size();
  std::vector<bool> listed(width);
  for (std::size_t i = 0; i < width; ++i) listed[i] = std::find(columns.begin(), columns.end(), table.columns[i]) != columns.end();
  std::vector<std::vector<Value>> rows;
  std::map<std::vector<std::string>, std::vector<std::shared_ptr<Record>>> lists;  // by what rows agree in: one for each column
  for (const std::vector<Value>& row : table.rows) {
    std::vector<std::string> key;
    for (std::size_t i = 0; i < width; ++i) {
      if (!listed[i]) key.push_back(key_of(row[i]));
    }
    std::vector<std::shared_ptr<Record>>& own = lists[key];
    if (own.empty()) {
      rows.push_back(row);
      for (std::size_t i = 0; i < width; ++i) {
        own.push_back(std::make_shared<Record>());
        if (!listed[i]) continue;
        kept.push_back(own[i]);
        rows.back()[i] = {};
        rows.back()[i].kind = Value::Kind::list;
        rows.back()[i].record = own[i].get();
      }
    }
    for (std::size_t i = 0; i < width; ++i) {
      if (listed[i]) own[i]->fields.emplace_back("", row[i]);
    }
  }
  table.rows = std::move(rows);
  table.prose.insert(table.prose.end(), columns.begin(), columns.end());
}

}  // namespace opledger
