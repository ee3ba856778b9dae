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
    double value = 0;
    const auto read = std::from_chars(literal.data(), literal.data() + literal.size(), value);
    if (read.ec != std::errc()) return fail(at_, fmt::format("`{}` is beyond the range of numbers", literal));
    if (end < text_.size() && letter(text_[end])) return fail(end, fmt::format("expected a blank or an operator after `{}`", literal));
    tokens_.push_back({Token::Kind::number, std::string(literal), value, {}, locator_.at(at_)});
    at_ = end;
    return unit();
  }

  /// Reads a unit such as `GB/s` after a number, whose token is the last one, and scales the number to base units. A `/`
  /// belongs to the unit only if a letter follows at once. A word after a number must be a unit unless it is a keyword, as
  /// in `1 else`. Returns true without a unit; false, with an error, for an unknown unit or a number out of range.
  bool unit() {
    std::size_t begin = at_;
    while (begin < text_.size() && is_blank(text_[begin])) ++begin;
    if (begin >= text_.size() || !letter(text_[begin])) return true;
    std::size_t end = end_of_word(begin);
    if (is_keyword(text_.substr(begin, end - begin))) return true;
    while (end + 1 < text_.size() && text_[end] == '/' && letter(text_[end + 1])) end = end_of_word(end + 1);
    const std::string_view name = text_.substr(begin, end - begin);
    const std::optional<Unit> unit = parse_unit(name);
    if (!unit) return fail(begin, fmt::format("unknown unit `{}`", name));
    Token& token = tokens_.back();
    token.number *= unit->factor;
    if (!std::isfinite(token.number)) return fail(begin, fmt::format("`{} {}` is beyond the range of numbers", token.text, name));
    token.dimension = unit->dimension;
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
