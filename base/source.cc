#include "base/source.h"

#include <fmt/core.h>

namespace opledger {

std::string to_string(const Span& span) {
  if (!span.known()) return {};
  if (span.line == 0) return span.file->path;
  return fmt::format("{}:{}:{}", span.file->path, span.line, span.column);
}

}  // namespace opledger
