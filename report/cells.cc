#include "report/cells.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace opledger {
namespace {

constexpr std::string_view kEllipsis = "\u2026";

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

std::string percent(double share) {
  const double value = share * 100;
  return std::fabs(value) < 9.995 && value != 0 ? fmt::format("{:.2f} %", value) : fmt::format("{:.1f} %", value);
}

std::string printable(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return text;
}

}  // namespace

std::string shown(const Value& value, bool share) {
  if (share && value.is_number() && value.unit.plain()) return percent(value.scalar.value);
  if (value.kind == Value::Kind::truth) return value.scalar.value != 0 ? "yes" : "no";
  return printable(human(value));
}

std::string shown_key(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  return printable(std::move(key));
}

std::size_t width(std::string_view text) { return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character)); }

std::string shortened(const std::string& text, std::size_t columns) {
  if (width(text) <= columns) return text;
  std::size_t end = 0, taken = 0;
  for (; end < text.size(); ++end) {
    if (starts_character(text[end]) && taken++ == columns - 1) break;
  }
  return text.substr(0, end) + std::string(kEllipsis);
}

std::string padded(const std::string& text, std::size_t columns, bool right) {
  const std::size_t taken = width(text);
  const std::string blanks(columns > taken ? columns - taken : 0, ' ');
  return right ? blanks + text : text + blanks;
}

}  // namespace opledger
