#include "expr/lexer.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/limits.h"
#include "base/lists.h"
#include "expr/locator.h"

namespace opledger {
namespace {

constexpr std::array<std::string_view, 13> kKeywords = {"if", "then", "else", "and", "or", "not", "in", "over", "where", "true", "false", "null", "inherited"};
constexpr std::array<std::string_view, 5> kLongSigns = {"//", "==", "!=", "<=", ">="};
constexpr std::string_view kSigns = "+-*/%^<>()[],.";

bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool printable(char c) { return c >= ' ' && c <= '~'; }

/// Returns the UTF-8 character at `at` in backquotes, or the byte in hexadecimal if it is invalid or a control character.
/// Messages thus never show half a character.
std::string character(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (printable(text[at])) return fmt::format("`{}`", text[at]);
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
  const std::string_view whole = text.substr(at, size);
  const bool valid = size > 0 && first < 0xF5 && whole.size() == size &&
                     std::all_of(whole.begin() + 1, whole.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; });
  return valid ? fmt::format("`{}`", whole) : fmt::format("0x{:02X}", first);
}

/// A scanner that reads one token at a time. Functions that read a token return false after they have reported an error.
class Lexer {
 public:
  Lexer(std::string_view text, const Span& span, Diagnostics& diagnostics) : text_(text), locator_(text, span), diagnostics_(diagnostics) {}

  std::vector<Token> run() {
    tokens_.reserve(text_.size() / 3 + 2);  // an estimate that few formulas exceed
    while (skip_blanks()) {
      if (!token()) return {};
    }
    tokens_.push_back({Token::Kind::end, "", 0, {}, locator_.after(text_.size())});
    return std::move(tokens_);
  }

 private:
  bool skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    return at_ < text_.size();
  }

  bool fail(std::size_t at, std::string message) {
    diagnostics_.error(locator_.at(at), std::move(message));
    return false;
  }

  std::size_t end_of_word(std::size_t from) const {
    while (from < text_.size() && (letter(text_[from]) || digit(text_[from]))) ++from;
    return from;
  }

  bool token() {
    const char c = text_[at_];
    if (digit(c)) return number();
    if (letter(c)) return word();
    if (c == '\'') return quoted();
    return sign();
  }

  void push(Token::Kind kind, std::size_t size) {
    tokens_.push_back({kind, std::string(text_.substr(at_, size)), 0, {}, locator_.at(at_)});
    at_ += size;
  }

  bool word() {
    const std::size_t size = end_of_word(at_) - at_;
    push(is_keyword(text_.substr(at_, size)) ? Token::Kind::keyword : Token::Kind::name, size);
    return true;
  }

  bool quoted() {
    // Quoted text has no escapes: it ends at the next quote on the same line. Its characters are printable ASCII.
    const std::size_t begin = at_ + 1;
    std::size_t end = begin;
    while (end < text_.size() && text_[end] != '\'' && text_[end] != '\n') {
      if (!printable(text_[end])) return fail(end, fmt::format("unexpected character {}", character(text_, end)));
      ++end;
    }
    if (end == text_.size() || text_[end] == '\n') return fail(at_, "this quote is never closed");
    tokens_.push_back({Token::Kind::text, std::string(text_.substr(begin, end - begin)), 0, {}, locator_.at(at_)});
    at_ = end + 1;
    return true;
  }

  bool sign() {
    const bool is_long = contains(kLongSigns, text_.substr(at_, 2));
    if (!is_long && kSigns.find(text_[at_]) == std::string_view::npos) {
      const bool assignment = text_[at_] == '=';
      return fail(at_, assignment ? "unexpected `=`: equality is `==`" : fmt::format("unexpected character {}", character(text_, at_)));
    }
    push(Token::Kind::sign, is_long ? 2 : 1);
    return true;
  }

  std::size_t end_of_digits(std::size_t from) const {
    while (from < text_.size() && digit(text_[from])) ++from;
    return from;
  }

  std::size_t end_of_number() const {
    std::size_t end = end_of_digits(at_);
    if (end + 1 < text_.size() && text_[end] == '.' && digit(text_[end + 1])) end = end_of_digits(end + 1);
    if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
      const std::size_t sign = end + 1 < text_.size() && (text_[end + 1] == '-' || text_[end + 1] == '+') ? 1 : 0;
      if (end_of_digits(end + 1 + sign) > end + 1 + sign) end = end_of_digits(end + 1 + sign);
    }
    return end;
  }

  bool number() {
    const std::size_t end = end_of_number();
    const std::string_view literal = text_.substr(at_, end - at_);
    if (end < text_.size() && letter(text_[end]) && !parse_unit(text_.substr(end, end_of_word(end) - end))) return word_with_digits(literal);
    double value = 0;
    const auto read = std::from_chars(literal.data(), literal.data() + literal.size(), value);
    if (read.ec != std::errc()) return fail(at_, fmt::format("`{}` is beyond the range of numbers", literal));
    tokens_.push_back({Token::Kind::number, std::string(literal), value, {}, locator_.at(at_)});
    at_ = end;
    return unit();
  }

  /// Reads a word that begins with the number `literal`, such as `1f1b`: letters without a unit's meaning follow at once.
  /// A number with a point or a signed exponent begins no word.
  bool word_with_digits(std::string_view literal) {
    const std::size_t end = end_of_word(at_);
    if (end < at_ + literal.size()) return fail(at_ + literal.size(), fmt::format("expected a blank or an operator after `{}`", literal));
    push(Token::Kind::name, end - at_);
    return true;
  }

  /// Returns the end of the divisors that begin at `from`, such as `/s`; `from` if there are none. A `/` divides a unit only
  /// if a letter follows at once.
  std::size_t end_of_divisors(std::size_t from) const {
    while (from + 1 < text_.size() && text_[from] == '/' && letter(text_[from + 1])) from = end_of_word(from + 1);
    return from;
  }

  /// Reads a unit such as `GB/s` after a number, whose token is the last one. A word after a number must be a unit unless it
  /// is a keyword, as in `1 else`. A rate may be written `10 1/s` or `10/s`; in the second form, names that are no units
  /// with a dimension, as in `10/layers`, divide the number as usual. Returns true without a unit; false, with an error, for
  /// an unknown unit or a number out of range.
  bool unit() {
    if (const std::size_t end = end_of_divisors(at_); end > at_) {
      const std::string rate = "1" + std::string(text_.substr(at_, end - at_));
      const std::optional<Unit> unit = parse_unit(rate);
      return !unit || unit->dimension.plain() || scale(*unit, rate, at_, end);
    }
    std::size_t begin = at_;
    while (begin < text_.size() && is_blank(text_[begin])) ++begin;
    if (begin >= text_.size()) return true;
    const bool is_word = letter(text_[begin]), is_one = begin > at_ && text_[begin] == '1';
    const std::size_t first = is_word ? end_of_word(begin) : begin + 1;  // end of what is divided
    const std::size_t end = end_of_divisors(first);
    if (is_word ? is_keyword(text_.substr(begin, first - begin)) : !is_one || end == first) return true;
    const std::string_view name = text_.substr(begin, end - begin);
    const std::optional<Unit> unit = parse_unit(name);
    if (!unit) return fail(begin, fmt::format("unknown unit `{}`", name));
    return scale(*unit, name, begin, end);
  }

  /// Scales the number of the last token to base units, and moves to the end of the unit. Returns false, with an error, for
  /// a number out of range.
  bool scale(const Unit& unit, std::string_view name, std::size_t begin, std::size_t end) {
    Token& token = tokens_.back();
    token.number *= unit.factor;
    if (!std::isfinite(token.number)) return fail(begin, fmt::format("`{} {}` is beyond the range of numbers", token.text, name));
    token.dimension = unit.dimension;
    token.text += ' ';
    token.text += name;
    at_ = end;
    return true;
  }

  std::string_view text_;
  Locator locator_;
  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace

bool is_keyword(std::string_view word) { return contains(kKeywords, word); }

std::vector<Token> lex(std::string_view text, const Span& span, Diagnostics& diagnostics) {
  if (text.size() > kMaxFormulaBytes) {
    diagnostics.error(span, fmt::format("a formula may have at most {} characters, this one has {}", kMaxFormulaBytes, text.size()));
    return {};
  }
  return Lexer(text, span, diagnostics).run();
}

}  // namespace opledger
