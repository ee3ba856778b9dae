#include "report/svg_text.h"

#include "base/text.h"

namespace opledger {

std::string escaped_svg(const std::string& text) {
  std::string out;
  for (const char c : visible(text)) out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
  return out;
}

}  // namespace opledger
