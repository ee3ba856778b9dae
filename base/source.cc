#include "base/source.h"

#include <fmt/core.h>

namespace opledger {

std::string to_string(const Span& span) {
  if (!span.known()) return {};
  if (span.line == 0) return span.file->path;
  return fmt::format("{}:{}:{}", span.file->path, span.line, span.column);
}

std::string_view line_of(const Span& span) {
  if (!span.known() || span.line == 0) return {};
  const std::string& text = span.file->text;
  std::size_t start = 0;
  for (std::uint32_t i = 1; i < span.line; ++i) {
    start = text.find('\n', start);
    if (start == std::string::npos) return {};
    ++start;
  }
  std::string_view rest = std::string_view(text).substr(start);
  rest = rest.substr(0, rest.find('\n'));
  if (!rest.empty() && rest.back() == '\r') rest.remove_suffix(1);
  if (span.line == 1 && rest.substr(0, 3) == "\xef\xbb\xbf") rest.remove_prefix(3);  // a byte order mark has no column
  return rest;
}

}  // namespace opledger
