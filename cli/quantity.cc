#include "cli/quantity.h"

#include <utility>

#include "base/text.h"
#include "expr/parser.h"

namespace opledger {

/// Converts a suffix to an exponent: `15T` becomes `15e12`. The last character decides, and a suffix needs digits or a
/// point before it, so a size such as `5 GB` is refused. A text without a suffix must be a number without unit, and is
/// returned as it is, without blanks at the ends.
std::optional<std::string> plain_count(const std::string& text) {
  constexpr std::pair<char, const char*> kSuffixes[] = {{'k', "e3"}, {'K', "e3"}, {'M', "e6"}, {'B', "e9"}, {'G', "e9"}, {'T', "e12"}, {'P', "e15"}};
  std::string number(trim(text));
  const char* power = "";
  for (const auto& [suffix, exponent] : kSuffixes) {
    if (!number.empty() && number.back() == suffix) power = exponent;
  }
  if (*power != '\0') number.pop_back();
  number = std::string(trim(number));
  if (*power != '\0' && number.find_first_not_of("0123456789.") != std::string::npos) return std::nullopt;
  number += power;
  double value = 0;
  Dimension unit;
  if (!parse_quantity(number, value, unit) || !unit.plain()) return std::nullopt;
  return number;
}

}  // namespace opledger
