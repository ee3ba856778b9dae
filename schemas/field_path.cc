#include "schemas/field_path.h"

#include <cstdlib>

#include "base/text.h"

namespace opledger {
namespace {

/// Returns the index in `[3]`.
std::size_t position(const std::string& step) { return std::strtoul(step.c_str() + 1, nullptr, 10); }

}  // namespace

std::vector<std::string> steps_of(const std::string& path) {
  std::vector<std::string> out;
  const std::vector<std::string> words = split(path, '.');
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::vector<std::string> parts = split(words[i], '[');
    if (i > 0) out.push_back(parts[0]);
    for (std::size_t p = 1; p < parts.size(); ++p) out.push_back("[" + parts[p]);
  }
  return out;
}

const Datum* at_path(const Datum& document, const std::string& path) {
  const Datum* at = &document;
  for (const std::string& step : steps_of(path)) {
    if (step[0] != '[')
      at = at->find(step);
    else
      at = position(step) < at->items().size() ? &at->items()[position(step)] : nullptr;
    if (at == nullptr) return nullptr;
  }
  return at;
}

/// Returns a copy of a tree with `value` at a path; `steps` are keys and positions, of which those before `from` lead
/// to `document`. Trees are immutable, so every list and mapping along the path is rebuilt; other values are shared. A
/// missing key is added as a mapping, which the remaining steps fill. A position beyond the end of a list, or a path
/// through a scalar, changes nothing.
Datum with_field(const Datum& document, const std::vector<std::string>& steps, const Datum& value, std::size_t from) {
  if (from == steps.size()) return value;
  if (document.is_list() && steps[from][0] == '[') {
    std::vector<Datum> items = document.items();
    const std::size_t at = position(steps[from]);
    if (at < items.size()) items[at] = with_field(items[at], steps, value, from + 1);
    return Datum::list(std::move(items), document.span());
  }
  if (!document.is_map()) return document;
  std::vector<Datum::Entry> entries = document.entries();
  for (auto& [key, inner] : entries) {
    if (key.text() != steps[from]) continue;
    inner = with_field(inner, steps, value, from + 1);
    return Datum::map(std::move(entries), document.span());
  }
  entries.emplace_back(Datum::scalar(steps[from], false, {}), with_field(Datum::map({}, {}), steps, value, from + 1));
  return Datum::map(std::move(entries), document.span());
}

}  // namespace opledger
