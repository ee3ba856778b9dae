#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/units.h"

/// Tokens of a formula's text. A unit belongs to the number in front of it: `80 GiB`, `80GiB` and `10 1/s` are one token
/// each. Digits that letters follow at once are a word, such as `1f1b`, unless the letters are a unit.
namespace opledger {

/// A token with its position in the document.
struct Token {
  enum class Kind : std::uint8_t {
    number,   ///< A number with its unit.
    name,     ///< A word that is not reserved.
    keyword,  ///< A reserved word.
    sign,     ///< An operator, bracket, comma or point.
    text,     ///< Text in quotes.
    end       ///< The end of the formula.
  };
  Kind kind = Kind::end;
  std::string text;     ///< Text as written. A number with a unit has one blank between them; quoted text excludes its quotes.
  double number = 0;    ///< Value of a number, in base units of `dimension`.
  Dimension dimension;  ///< Dimension of a number.
  Span span;            ///< Position of the first character; of the end: the position after the last character.
};

/// Returns the tokens of `text` and a final token of kind `end`. Reports one error and returns an empty list if a part of
/// the text is no token. Errors are a character of no token, an open quote, an unknown unit, and a number that is out of
/// range or touched by a letter. A text longer than kMaxFormulaBytes is an error, too.
std::vector<Token> lex(std::string_view text, const Span& span, Diagnostics& diagnostics);

/// Returns whether the language reserves `word`, such as `if`, `over` or `inherited`.
bool is_keyword(std::string_view word);

/// Returns whether `c` separates tokens.
inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace opledger
