#include "report/json_value.h"

#include <cmath>

namespace opledger {
namespace {

constexpr double kIntegers = 9223372036854775808.0;  // 2^63

/// Returns an integer below 2^63 as such, a finite number, or null.
Json json_number(double value) {
  if (value == std::floor(value) && std::fabs(value) < kIntegers) return static_cast<std::int64_t>(value);
  return std::isfinite(value) ? Json(value) : Json();
}

}  // namespace

/// Converts a value by its kind, recursively for records and lists. A list is stored as a record whose fields have no
/// names. A null text becomes null, and a null record an empty object or array. Curves and missing values become null.
/// The cost is linear in the number of scalars.
Json json_value(const Value& value) {
  switch (value.kind) {
    case Value::Kind::number:
      return json_number(value.scalar.value);
    case Value::Kind::truth:
      return value.scalar.value != 0;
    case Value::Kind::word:
    case Value::Kind::text:
      return value.text != nullptr ? Json(*value.text) : Json();
    case Value::Kind::record: {
      Json fields = Json::object();
      if (value.record == nullptr) return fields;
      for (const auto& [name, field] : value.record->fields) fields[name] = json_value(field);
      return fields;
    }
    case Value::Kind::list: {
      Json items = Json::array();
      if (value.record == nullptr) return items;
      for (const auto& [_, item] : value.record->fields) items.push_back(json_value(item));
      return items;
    }
    case Value::Kind::nothing:
    case Value::Kind::curve:
      break;
  }
  return {};
}

std::string json_text(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace opledger
