#pragma once
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

namespace opledger {

/// The number that a cell of a table is; nothing: it is a word, empty or not finite.
inline std::optional<double> cell_number(const std::string& text) {
  double out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(out) ? std::optional(out) : std::nullopt;
}

}  // namespace opledger
