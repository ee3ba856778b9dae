#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/units.h"

/// Tokens of a formula's text. A unit belongs to the number in front of it: `80 GiB` is one token.
namespace opledger {

/// A token with its position in the document.
struct Token {
  enum class Kind : std::uint8_t { number, name, keyword, sign, text, end };
  Kind kind = Kind::end;
  std::string text;   ///< Text as written. A number with a unit has one blank between them; quoted text excludes its quotes.
  double number = 0;  ///< Value of a number, in base units of `dimension`.
  Dimension dimension;
  Span span;
};

/// Returns the tokens of `text` and a final token of kind `end`. Reports one error and returns an empty list if a
/// character belongs to no token. Numbers out of range and texts longer than kMaxFormulaBytes are errors, too.
std::vector<Token> lex(std::string_view text, const Span& span, Diagnostics& diagnostics);

/// Returns whether the language reserves `word`, such as `if`, `over` or `inherited`.
bool is_keyword(std::string_view word);

/// Returns whether `c` separates tokens.
inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace opledger
