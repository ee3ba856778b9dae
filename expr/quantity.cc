#include "expr/quantity.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "expr/parser.h"

namespace opledger {
namespace {

/// Suffixes of counts, with their powers of 1000.
constexpr std::pair<char, int> kSuffixes[] = {{'k', 1}, {'K', 1}, {'M', 2}, {'B', 3}, {'G', 3}, {'T', 4}, {'P', 5}};

/// Removes the suffix of a count and returns its power of 1000; 0 without a suffix.
int take_suffix(std::string& number) {
  const auto found = std::find_if(std::begin(kSuffixes), std::end(kSuffixes), [&](const auto& s) { return !number.empty() && number.back() == s.first; });
  if (found == std::end(kSuffixes)) return 0;
  number.pop_back();
  number = std::string(trim(number));
  return found->second;
}

}  // namespace

/// Converts a suffix to an exponent: `15T` becomes `15e12`. The last character decides, and a suffix needs digits or a
/// point before it, so a size such as `5 GB` is refused. A text without a suffix must be a number without unit, and is
/// returned as it is, without blanks at the ends.
std::optional<std::string> plain_count(const std::string& text) {
  std::string number(trim(text));
  const int power = take_suffix(number);
  if (power > 0) {
    if (number.find_first_not_of("0123456789.") != std::string::npos) return std::nullopt;
    number += "e" + std::to_string(3 * power);
  }
  double value = 0;
  Dimension unit;
  if (!parse_quantity(number, value, unit) || !unit.plain()) return std::nullopt;
  return number;
}

std::optional<double> binary_count(const std::string& text) {
  std::string number(trim(text));
  const int power = take_suffix(number);
  double value = 0;
  Dimension unit;
  if (!parse_quantity(number, value, unit) || !unit.plain()) return std::nullopt;
  return std::ldexp(value, 10 * power);
}

}  // namespace opledger
