#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/units.h"

/// A formula's text as tokens. A unit belongs to the number before it: `80 GiB` is one token.
namespace opledger {

struct Token {
  enum class Kind : std::uint8_t { number, name, keyword, sign, text, end };
  Kind kind = Kind::end;
  std::string text;   ///< As written; of a number with its unit, one blank between; of quoted text what is between the quotes.
  double number = 0;  ///< In base units of `dimension`.
  Dimension dimension;
  Span span;
};

/// The tokens and one of kind `end`. Empty, with one error, if some character belongs to no token.
std::vector<Token> lex(std::string_view text, const Span& span, Diagnostics& diagnostics);

bool is_keyword(std::string_view word);

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace opledger
