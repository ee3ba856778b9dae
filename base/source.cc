#include "base/source.h"

#include <fmt/core.h>

namespace opledger {

SourceFile::SourceFile(std::string path_as_named, std::string whole_text) : path(std::move(path_as_named)), text(std::move(whole_text)), line_starts_{0} {
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', end + 1)) line_starts_.push_back(end + 1);
}

std::size_t SourceFile::line_start(std::uint32_t line) const { return line - 1 < line_starts_.size() ? line_starts_[line - 1] : text.size(); }

std::string origin_of(const Span& span) { return span.known() ? span.file->origin : std::string(); }

std::string to_string(const Span& span) {
  if (!span.known()) return {};
  if (span.line == 0) return span.file->path;
  return fmt::format("{}:{}:{}", span.file->path, span.line, span.column);
}

std::string_view line_of(const Span& span) {
  if (!span.known() || span.line == 0) return {};
  std::string_view rest = std::string_view(span.file->text).substr(span.file->line_start(span.line));
  rest = rest.substr(0, rest.find('\n'));
  if (!rest.empty() && rest.back() == '\r') rest.remove_suffix(1);
  if (span.line == 1 && rest.substr(0, 3) == "\xef\xbb\xbf") rest.remove_prefix(3);  // A byte order mark has no column.
  return rest;
}

}  // namespace opledger
