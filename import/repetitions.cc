#include "import/repetitions.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string_view>

#include "base/text.h"

namespace opledger {
namespace {

/// Removes a number from the beginning of the text. Returns nothing if the text begins with none, or if it is too
/// large.
std::optional<std::size_t> take_number(std::string_view& text) {
  text = trim(text);
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number > kMostUnrolled) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take(std::string_view& text, char sign) {
  text = trim(text);
  if (text.empty() || text.front() != sign) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::optional<std::string> unroll_signs(const std::string& text) {
  // Commas and blanks are removed first. Each round then reads one sign or one bracketed group, whose inner text is
  // unrolled recursively, and an optional repeat count. The length is checked before each repetition, so memory stays
  // bounded. The cost is linear in the lengths of text and result.
  std::string plain;
  std::copy_if(text.begin(), text.end(), std::back_inserter(plain), [](char c) { return c != ',' && std::isspace(static_cast<unsigned char>(c)) == 0; });
  std::string out;
  for (std::string_view rest = plain; !rest.empty();) {
    std::string unit(1, rest.front());  // The sign or group to repeat.
    if (rest.front() == '(') {
      const std::size_t end = rest.find(')');
      if (end == std::string_view::npos) return std::nullopt;
      const std::optional<std::string> inner = unroll_signs(std::string(rest.substr(1, end - 1)));
      if (!inner) return std::nullopt;
      unit = *inner;
      rest.remove_prefix(end);
    } else if (rest.front() == ')' || rest.front() == '*') {
      return std::nullopt;
    }
    rest.remove_prefix(1);
    std::size_t times = 1;
    if (take(rest, '*')) {
      const std::optional<std::size_t> number = take_number(rest);
      if (!number) return std::nullopt;
      times = *number;
    }
    if (unit.size() * times + out.size() > kMostUnrolled) return std::nullopt;
    for (std::size_t n = 0; n < times; ++n) out += unit;
  }
  return out;
}

std::optional<std::vector<std::string>> unroll_list(const std::string& text) {
  // Each round reads a list `[…]` with an optional repeat count, up to the last `+`. Lists contain no lists, so the
  // first `]` ends a list. The length is checked before each repetition, so memory stays bounded.
  std::string_view rest = trim(text);
  const bool bracketed = take(rest, '(');
  std::vector<std::string> out;
  do {
    const std::size_t end = rest.find(']');
    if (!take(rest, '[') || end == std::string_view::npos) return std::nullopt;
    const std::size_t closing = rest.find(']');
    const std::vector<std::string> items = split(rest.substr(0, closing), ',');
    rest.remove_prefix(closing + 1);
    std::size_t times = 1;
    if (take(rest, '*')) {
      const std::optional<std::size_t> number = take_number(rest);
      if (!number) return std::nullopt;
      times = *number;
    }
    if (items.size() * times + out.size() > kMostUnrolled) return std::nullopt;
    for (std::size_t n = 0; n < times; ++n) out.insert(out.end(), items.begin(), items.end());
  } while (take(rest, '+'));
  if (bracketed && !take(rest, ')')) return std::nullopt;
  if (!trim(rest).empty()) return std::nullopt;
  return out;
}

}  // namespace opledger
