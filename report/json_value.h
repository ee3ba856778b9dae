#pragma once
#include <nlohmann/json.hpp>

#include "formulas/value.h"

/// Helpers shared by the writers of JSON.
namespace opledger {

using Json = nlohmann::ordered_json;

/// Key of the format's version in every written document, and the version. Removing a key, or changing its meaning,
/// raises the version.
inline constexpr const char* kFormatKey = "format";
inline constexpr int kFormat = 1;

/// Returns an array of `of(item)` for each item of `list`.
template <class List, class Of>
Json array_of(const List& list, const Of& of) {
  Json out = Json::array();
  for (const auto& item : list) out.push_back(of(item));
  return out;
}

/// Returns a value in base units. Integers below 2^63 are written as integers, remaining numbers with enough digits to
/// read back equal. Words and texts become strings, records objects, lists arrays. Missing values, curves and
/// non-finite numbers become null.
Json json_value(const Value& value);

/// Returns JSON as UTF-8 text, indented by two blanks a level. Invalid UTF-8, possible in names from the command line,
/// is replaced.
std::string json_text(const Json& json);

}  // namespace opledger
