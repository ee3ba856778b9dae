#pragma once
#include <nlohmann/json.hpp>

#include "formulas/value.h"

/// What all writers of JSON share.
namespace opledger {

using Json = nlohmann::ordered_json;

/// The number of the format, under this key in every document that the program writes; what is taken away or changes its meaning raises it.
inline constexpr const char* kFormatKey = "format";
inline constexpr int kFormat = 1;

/// What `of` makes of each item.
template <class List, class Of>
Json array_of(const List& list, const Of& of) {
  Json out = Json::array();
  for (const auto& item : list) out.push_back(of(item));
  return out;
}

/// In base units. Whole numbers below 2^63 are written as such, other numbers so that they read back the same; null: nothing, or no finite number.
Json json_value(const Value& value);

/// With two blanks for each level. Names on a command line need not be UTF-8, what is written must be.
std::string json_text(const Json& json);

}  // namespace opledger
