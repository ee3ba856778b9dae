#include "report/svg.h"

#include <fmt/core.h>

#include <cmath>

#include "base/text.h"

namespace opledger {

std::string hex(const Color& c) { return fmt::format("#{:02x}{:02x}{:02x}", std::lround(c.red), std::lround(c.green), std::lround(c.blue)); }

const char* ink_on(const Color& c) { return 0.299 * c.red + 0.587 * c.green + 0.114 * c.blue > 140 ? "#1a1a1a" : "#ffffff"; }

std::string escaped_svg(const std::string& text) {
  std::string out;
  for (const char c : visible(text)) out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
  return out;
}

}  // namespace opledger
