#pragma once
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

namespace opledger {

/// Returns the number in a cell of a table; nothing for a word, an empty cell or a number that is not finite.
inline std::optional<double> cell_number(const std::string& text) {
  double out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(out) ? std::optional(out) : std::nullopt;
}

}  // namespace opledger
