#include "base/width.h"

#include <utf8proc.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/code_point.h"

namespace opledger {
namespace {

constexpr std::int32_t kAsEmoji = 0xfe0f;  // Variation selector: the preceding character is displayed as an emoji.

bool is_flag(std::int32_t code) { return utf8proc_get_property(code)->boundclass == UTF8PROC_BOUNDCLASS_REGIONAL_INDICATOR; }

std::size_t columns_of(std::int32_t code) { return static_cast<std::size_t>(std::max(0, utf8proc_charwidth(code))); }

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// Widens a cluster by one of its characters. A cluster has the width of its widest character; emoji and flags have two
/// columns.
void widen(std::int32_t code, bool second, Glyph& glyph) {
  const bool picture = (code == kAsEmoji || (second && is_flag(code))) && glyph.columns > 0;
  glyph.columns = std::max(glyph.columns, picture ? 2 : columns_of(code));
}

}  // namespace

// Splits a text into clusters that are displayed as one character, by the grapheme rules of Unicode (utf8proc). The
// rules look at pairs of neighbors and keep a `state` between them. `before` is the previous character, -1 if none or
// invalid. An invalid byte ends a cluster and forms one of its own, one column wide. The clusters are views that cover
// the text. Linear in the text.
std::vector<Glyph> glyphs(std::string_view text) {
  std::vector<Glyph> out;
  std::int32_t before = -1, state = 0;
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint point = code_point(text.substr(i));
    const bool joins = before >= 0 && point.valid && !utf8proc_grapheme_break_stateful(before, point.code, &state);
    const std::size_t begin = joins ? static_cast<std::size_t>(out.back().text.data() - text.data()) : i;
    if (!joins) out.push_back({{}, point.valid ? 0u : 1u});
    i += point.bytes;
    out.back().text = text.substr(begin, i - begin);
    if (point.valid) widen(point.code, joins, out.back());
    before = point.valid ? point.code : -1;
    if (!point.valid) state = 0;
  }
  return out;
}

std::size_t width(std::string_view text) {
  if (is_ascii(text)) return text.size();
  std::size_t columns = 0;
  for (const Glyph& glyph : glyphs(text)) columns += glyph.columns;
  return columns;
}

std::size_t beginning_within(std::string_view text, std::size_t columns) {
  std::size_t bytes = 0;
  for (const Glyph& glyph : glyphs(text)) {
    if (glyph.columns > columns) break;
    columns -= glyph.columns;
    bytes += glyph.text.size();
  }
  return bytes;
}

std::size_t end_within(std::string_view text, std::size_t columns) {
  const std::vector<Glyph> all = glyphs(text);
  std::size_t bytes = 0;
  for (auto glyph = all.rbegin(); glyph != all.rend() && glyph->columns <= columns; ++glyph) {
    columns -= glyph->columns;
    bytes += glyph->text.size();
  }
  return bytes;
}

}  // namespace opledger
