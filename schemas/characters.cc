#include "schemas/characters.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace opledger {
namespace {

bool is_continuation(unsigned char c) { return (c & 0xc0) == 0x80; }

// Returns the length of the well-formed UTF-8 sequence at `i` (no overlong forms, no surrogates), or 0.
std::size_t sequence_length(const std::string& text, std::size_t i) {
  const auto at = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
  const unsigned lead = at(i);
  const std::size_t length = lead < 0x80 ? 1 : lead >= 0xc2 && lead < 0xe0 ? 2 : (lead & 0xf0) == 0xe0 ? 3 : lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
  for (std::size_t k = 1; k < length; ++k) {
    if (!is_continuation(static_cast<unsigned char>(at(i + k)))) return 0;
  }
  const unsigned second = at(i + 1);
  const bool bad = (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second >= 0xa0) || (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second >= 0x90);
  return bad ? 0 : length;
}

/// Returns a lower bound of the number of printable ASCII characters from `i`. Eight bytes are tested at once with
/// arithmetic on 64-bit words.
std::size_t plain_from(const std::string& text, std::size_t i) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  const std::size_t begin = i;
  for (std::uint64_t bytes; i + sizeof bytes <= text.size(); i += sizeof bytes) {
    std::memcpy(&bytes, text.data() + i, sizeof bytes);
    const std::uint64_t below_blank = bytes - kOnes * ' ', above_tilde = bytes + kOnes * (0x80 - 0x7f);
    if (((below_blank | bytes | above_tilde) & (kOnes * 0x80)) != 0) break;
  }
  return i - begin;
}

bool is_forbidden(unsigned char c) { return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f; }

}  // namespace

Span span_at(const std::shared_ptr<const SourceFile>& source, std::size_t offset) {
  const std::string& text = source->text;
  Span span{source, 1, 1};
  for (std::size_t i = 0; i < offset && i < text.size(); ++i) {
    if (text[i] == '\n') {
      ++span.line;
      span.column = 1;
    } else if (!is_continuation(static_cast<unsigned char>(text[i])) && !(i == 0 && std::string_view(text).substr(0, 3) == kByteOrderMark)) {
      ++span.column;
    }
  }
  return span;
}

/// Checks that a text is UTF-8 without ASCII control characters (0x00 to 0x1f, 0x7f) other than tab and line breaks.
/// U+0080 to U+009F pass. `plain_from` skips printable ASCII eight bytes at a time; the loop handles the bytes that it
/// leaves. The first wrong byte is reported. A zero byte or invalid UTF-8 means that the file is no text, so only the
/// number of the byte is given. A control character is reported with its line and column. Linear in the text; positions
/// are computed for an error only. Returns false after an error.
bool check_characters(const std::shared_ptr<const SourceFile>& source, Diagnostics& diagnostics) {
  const std::string& text = source->text;
  for (std::size_t i = 0; i < text.size();) {
    i += plain_from(text, i);
    if (i == text.size()) break;
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= ' ' && c < 0x7f) {
      ++i;
      continue;
    }
    const std::size_t length = sequence_length(text, i);
    if (c == 0 || length == 0) {
      diagnostics.error(Span{source, 0, 0}, fmt::format("this is no text file: byte {} is {}", i + 1, c == 0 ? "zero" : "no UTF-8"));
      return false;
    }
    if (is_forbidden(c)) {
      diagnostics.error(span_at(source, i), fmt::format("control characters are not allowed in a document (this one is 0x{:02x})", c));
      return false;
    }
    i += length;
  }
  return true;
}

Columns::Columns(const std::string& text) : text_(text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(text.begin(), text.end(), is_ascii)) return;
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') line_starts_.push_back(i + 1);
  }
}

std::uint32_t Columns::characters(std::uint32_t line, std::uint32_t bytes) const {
  if (line >= line_starts_.size()) return bytes;
  const std::size_t begin = line_starts_[line];
  const std::size_t end = std::min(text_.size(), begin + bytes);
  const auto first = text_.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto last = text_.begin() + static_cast<std::ptrdiff_t>(end);
  const auto extra = std::count_if(first, last, [](char c) { return is_continuation(static_cast<unsigned char>(c)); });
  return bytes - static_cast<std::uint32_t>(extra);
}

}  // namespace opledger
