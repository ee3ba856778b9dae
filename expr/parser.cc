#include "expr/parser.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "base/limits.h"
#include "base/lists.h"
#include "expr/aggregates.h"
#include "expr/lexer.h"
#include "expr/parsed.h"
#include "expr/precedence.h"

namespace opledger {
namespace {

using Kind = Expr::Kind;

/// A binary operator, a row of the operator table.
struct Binary {
  std::string_view sign;
  int level;  // Precedence; a larger level binds tighter.
  Kind kind;
  Op op;
};

constexpr std::array<Binary, 15> kBinary = {{
    {"or", kOr, Kind::operation, Op::logical_or},
    {"and", kAnd, Kind::operation, Op::logical_and},
    {"==", kComparison, Kind::operation, Op::equal},
    {"!=", kComparison, Kind::operation, Op::not_equal},
    {"<", kComparison, Kind::operation, Op::less},
    {"<=", kComparison, Kind::operation, Op::less_equal},
    {">", kComparison, Kind::operation, Op::greater},
    {">=", kComparison, Kind::operation, Op::greater_equal},
    {"in", kComparison, Kind::in, Op::add},
    {"+", kSum, Kind::operation, Op::add},
    {"-", kSum, Kind::operation, Op::subtract},
    {"*", kTerm, Kind::operation, Op::multiply},
    {"/", kTerm, Kind::operation, Op::divide},
    {"//", kTerm, Kind::operation, Op::floor_divide},
    {"%", kTerm, Kind::operation, Op::modulo},
}};

/// Returns whether the expression is a literal. `.` and brackets are not allowed after literals.
bool is_literal(const Expr& e) { return e.kind == Kind::number || e.kind == Kind::boolean || e.kind == Kind::text || e.kind == Kind::null; }

/// Returns whether the expression is a path such as `word` or `system.networks`. Only paths may precede `.(`.
bool is_path(const Expr& e) { return e.kind == Kind::name || (e.kind == Kind::member && is_path(*e.args[0])); }

/// A recursive-descent parser. After an error, functions return null or false up to the caller, so there is one message.
/// The cost is linear in the number of tokens.
class Parser {
 public:
  Parser(std::vector<Token> tokens, Diagnostics& diagnostics) : tokens_(std::move(tokens)), diagnostics_(diagnostics) {}

  /// Parses an expression up to the end of the text.
  ExprPtr whole() {
    ExprPtr e = expression();
    return e && at_end("an operator or the end") ? e : nullptr;
  }

  /// Parses `EXPR, EXPR … [where EXPR]` up to the end. Returns false after an error.
  bool domain(Domain& out) {
    do {
      out.values.push_back(expression());
      if (!out.values.back()) return false;
    } while (take(","));
    if (take("where") && !(out.where = expression())) return false;
    return at_end(out.where ? "an operator or the end" : "an operator, `,`, `where` or the end");
  }

  /// Parses the head of a function, `NAME(PARAMETER, …)` or `NAME()`, up to the end. Returns false after reporting the first
  /// unexpected token or repeated parameter. Helpers such as `take` consume a token if it is the expected one.
  bool signature(Signature& out) {
    if (!name(out.name) || !need("(")) return false;
    if (!take(")")) {
      do {
        const Span span = token().span;
        std::string parameter;
        if (!name(parameter)) return false;
        if (contains(out.parameters, parameter)) {
          diagnostics_.error(span, fmt::format("parameter `{}` occurs twice", parameter));
          return false;
        }
        out.parameters.push_back(std::move(parameter));
      } while (take(","));
      if (!need(")", "`,` or `)`")) return false;
    }
    return at_end("the end");
  }

 private:
  /// Returns the current token. The last token is the end, which is never consumed.
  const Token& token() const { return tokens_[at_]; }

  /// Returns whether the current token is this sign or keyword.
  bool peek(std::string_view word) const { return (token().kind == Token::Kind::sign || token().kind == Token::Kind::keyword) && token().text == word; }

  /// Consumes the current token if it is this sign or keyword, and returns whether it was.
  bool take(std::string_view word) {
    const bool found = peek(word);
    at_ += found ? 1 : 0;
    return found;
  }

  /// Reports an error, unless an earlier one was reported, and returns null.
  ExprPtr error(const Span& span, std::string message) {
    if (!std::exchange(failed_, true)) diagnostics_.error(span, std::move(message));
    return nullptr;
  }

  ExprPtr expected(std::string_view expectation) {
    const Token& t = token();
    const std::string quote = t.kind == Token::Kind::text ? "'" : "";
    const std::string found = t.kind == Token::Kind::end ? "the end" : fmt::format("`{0}{1}{0}`", quote, t.text);
    return error(t.span, fmt::format("expected {}, found {}", expectation, found));
  }

  /// Consumes the expected token, or reports an error and returns false.
  bool need(std::string_view word, std::string_view expectation = {}) {
    if (take(word)) return true;
    expected(expectation.empty() ? fmt::format("`{}`", word) : std::string(expectation));
    return false;
  }

  /// Consumes the bracket, or reports an error that lists `others` as alternatives.
  bool close(std::string_view bracket, std::string_view others) {
    if (take(bracket)) return true;
    expected(fmt::format("{} or `{}`", others, bracket));
    return false;
  }

  bool at_end(std::string_view expectation) {
    if (token().kind == Token::Kind::end) return true;
    expected(expectation);
    return false;
  }

  bool name(std::string& out) {
    if (token().kind != Token::Kind::name) return expected("a name") != nullptr;
    out = token().text;
    ++at_;
    return true;
  }

  std::shared_ptr<Expr> make(Kind kind, const Span& span, std::vector<ExprPtr> args = {}) {
    // Creates a node with operands `args`. Returns null if an operand is null, because the error was reported there. A
    // node is one level deeper than its deepest operand. A depth above kMaxTreeDepth is an error. The bound in `nested`
    // does not suffice, because loops over binary operators and members build deep trees without recursion.
    auto e = std::make_shared<Expr>();
    for (const ExprPtr& arg : args) {
      if (!arg) return nullptr;
      e->depth = std::max(e->depth, arg->depth + 1);
    }
    if (e->depth > kMaxTreeDepth) {
      error(span, fmt::format("the formula has more than {} operations in a row", kMaxTreeDepth));
      return nullptr;
    }
    e->kind = kind;
    e->span = span;
    e->args = std::move(args);
    return e;
  }

  ExprPtr make(Op op, const Span& span, std::vector<ExprPtr> args) {
    auto e = make(Kind::operation, span, std::move(args));
    if (e) e->op = op;
    return e;
  }

  /// Runs `parse` one nesting level deeper. Every cycle of calls passes through this function, except the recursion of
  /// `operation` into tighter levels, which are few. So kMaxFormulaDepth bounds the stack for any text.
  template <class Parse>
  ExprPtr nested(Parse parse) {
    if (depth_ >= kMaxFormulaDepth) return error(token().span, fmt::format("the formula is nested more than {} deep", kMaxFormulaDepth));
    ++depth_;
    ExprPtr e = parse();
    --depth_;
    return e;
  }

  ExprPtr expression() {
    return nested([this] { return peek("if") ? condition() : operation(kOr); });
  }

  ExprPtr condition() {
    const Span span = token().span;
    ++at_;
    ExprPtr test = expression();
    if (!test || !need("then", "an operator or `then`")) return nullptr;
    ExprPtr yes = expression();
    if (!yes || !need("else", "an operator or `else`")) return nullptr;
    return make(Kind::condition, span, {test, yes, expression()});
  }

  const Binary* binary() const {
    if (token().kind != Token::Kind::sign && token().kind != Token::Kind::keyword) return nullptr;
    const auto found = std::find_if(kBinary.begin(), kBinary.end(), [this](const Binary& b) { return peek(b.sign); });
    return found == kBinary.end() ? nullptr : &*found;
  }

  /// Parses operators of `level` and tighter ones by precedence climbing. The right operand is parsed at the next tighter
  /// level, and each loop iteration extends the left operand, so operators are left associative. Comparisons do not chain:
  /// a second one at this level is an error. A prefix `not` binds looser than comparisons, hence the test of `level`.
  ExprPtr operation(int level) {
    ExprPtr left = level <= kNot && peek("not") ? negation() : unary();
    bool compared = false;
    while (left) {
      const Binary* b = binary();
      if (!b || b->level < level) break;
      if (b->level == kComparison && std::exchange(compared, true)) return error(token().span, "comparisons do not chain: join them with `and`");
      ++at_;
      auto e = make(b->kind, left->span, {left, operation(b->level + 1)});
      if (e && b->kind == Kind::operation) e->op = b->op;
      left = std::move(e);
    }
    return left;
  }

  ExprPtr negation() {
    const Span span = token().span;
    ++at_;
    return make(Op::logical_not, span, {nested([this] { return operation(kNot); })});
  }

  ExprPtr unary() {
    const Span span = token().span;
    if (take("-")) return make(Op::negate, span, {nested([this] { return unary(); })});
    ExprPtr base = postfix();
    if (!base || !take("^")) return base;
    return make(Op::power, span, {base, nested([this] { return unary(); })});
  }

  ExprPtr postfix() {
    // Parses a primary expression (a literal, a name, brackets, an aggregate) and its suffixes, left to right: `.member`,
    // `.( EXPR )`, `[ EXPR ]` and `( ARGUMENTS )`. The loop makes each suffix a node over the expression so far. Literals
    // take no suffix. Null after an error.
    ExprPtr e = primary();
    while (e && !is_literal(*e)) {
      if (take(".")) {
        e = peek("(") ? at(e) : member(e);
      } else if (take("[")) {
        e = make(Kind::index, e->span, {e, closed(expression(), "]")});
      } else if (take("(")) {
        const Span span = e->span;
        std::vector<ExprPtr> args{std::move(e)};
        if (!arguments(")", args)) return nullptr;
        e = make(Kind::call, span, std::move(args));
      } else {
        break;
      }
    }
    return e;
  }

  ExprPtr member(const ExprPtr& of) {
    std::string field;
    if (!name(field)) return nullptr;
    auto e = make(Kind::member, of->span, {of});
    if (e) e->text = std::move(field);
    return e;
  }

  ExprPtr at(const ExprPtr& where) {
    if (!is_path(*where)) return error(token().span, "only a name may stand before `.(`");
    ++at_;
    return make(Kind::at, where->span, {where, closed(expression(), ")")});
  }

  ExprPtr closed(const ExprPtr& e, std::string_view bracket) { return e && close(bracket, "an operator") ? e : nullptr; }

  bool arguments(std::string_view bracket, std::vector<ExprPtr>& out) {
    if (take(bracket)) return true;
    do {
      out.push_back(expression());
      if (!out.back()) return false;
    } while (take(","));
    return close(bracket, "an operator, `,`");
  }

  ExprPtr primary() {
    const Token& t = token();
    if (t.kind == Token::Kind::number) return number();
    if (t.kind == Token::Kind::name) return word();
    if (t.kind == Token::Kind::text) return word_of(Kind::text);
    if (take("(")) return closed(expression(), ")");
    if (take("[")) {
      std::vector<ExprPtr> items;
      return arguments("]", items) ? make(Kind::list, t.span, std::move(items)) : nullptr;
    }
    if (peek("true") || peek("false")) return boolean();
    if (take("null")) return make(Kind::null, t.span);
    if (take("inherited")) return make(Kind::inherited, t.span);
    // The keyword `over` follows the operand of an aggregate, as in `sum(x over SET)`. Where a value must begin, `over`
    // is a name: operators may have an attribute of this name.
    if (peek("over")) return word_of(Kind::name);
    return expected("a value");
  }

  ExprPtr number() {
    const Token& t = token();
    auto e = make(Kind::number, t.span);
    e->number = t.number;
    e->dimension = t.dimension;
    e->text = t.text;
    ++at_;
    return e;
  }

  ExprPtr boolean() {
    auto e = make(Kind::boolean, token().span);
    e->number = peek("true") ? 1 : 0;
    ++at_;
    return e;
  }

  ExprPtr word_of(Kind kind) {
    auto e = make(kind, token().span);
    e->text = token().text;
    ++at_;
    return e;
  }

  ExprPtr word() {
    const std::optional<Aggregate> aggregate = aggregate_named(token().text);
    const Token& next = tokens_[at_ + 1];  // The next token exists, because the last token is the end.
    if (!aggregate || next.kind != Token::Kind::sign || next.text != "(") return word_of(Kind::name);
    return *aggregate == Aggregate::count ? count() : aggregation(*aggregate);
  }

  /// Parses `count(over SET where C)`, which sums 1.
  ExprPtr count() {
    const Span span = token().span;
    at_ += 2;
    if (!need("over")) return nullptr;
    auto one = make(Kind::number, span);
    one->number = 1;
    one->text = "1";
    return over(Aggregate::count, span, std::move(one));
  }

  /// Parses an aggregate such as `sum(x over SET …)`; the current token is its word, and `(` follows. `min` and `max` are
  /// also functions, `min(a, b)`: the token after the first argument decides. Without `over` they become calls; any other
  /// aggregate without `over` is an error.
  ExprPtr aggregation(Aggregate aggregate) {
    const bool function = is_function_too(aggregate);
    ExprPtr callee = word_of(Kind::name);
    ++at_;
    if (function && take(")")) return make(Kind::call, callee->span, {callee});
    ExprPtr first = expression();
    if (!first) return nullptr;
    if (take("over")) return over(aggregate, callee->span, std::move(first));
    if (!function) return expected("an operator or `over`");
    std::vector<ExprPtr> args{callee, first};
    if (take(",")) {
      if (!arguments(")", args)) return nullptr;
    } else if (!need(")", "an operator, `,`, `over` or `)`")) {
      return nullptr;
    }
    return make(Kind::call, callee->span, std::move(args));
  }

  ExprPtr over(Aggregate aggregate, const Span& span, ExprPtr body) {
    // Parses the rest of an aggregate over `body` after the keyword `over`: the name of the set, sets after `per`, an
    // optional condition after `where`, and `)`. Messages name the tokens that could follow at this place.
    std::string set;
    if (!name(set)) return nullptr;
    std::vector<ExprPtr> kept;
    if (!per(aggregate, kept)) return nullptr;
    std::vector<ExprPtr> args{std::move(body)};
    if (take("where")) args.push_back(expression());
    const bool filtered = args.size() > 1;
    if (!args.back() || !need(")", filtered ? "an operator or `)`" : kept.empty() ? "`per`, `where` or `)`" : "`,`, `where` or `)`")) return nullptr;
    auto e = make(Kind::aggregate, span, std::move(args));
    if (!e) return nullptr;
    e->aggregate = aggregate;
    e->text = std::move(set);
    e->per = std::move(kept);
    return e;
  }

  /// Parses `per SET, SET` into `kept`. `per` is not reserved, so names may use it elsewhere.
  bool per(Aggregate aggregate, std::vector<ExprPtr>& kept) {
    if (token().kind != Token::Kind::name || token().text != "per") return true;
    if (aggregate == Aggregate::running)
      return error(token().span, "`running` sums up to the current element and keeps all that is chosen: no `per`") != nullptr;
    do {
      ++at_;
      if (token().kind != Token::Kind::name) return expected("a set") != nullptr;
      kept.push_back(word_of(Kind::name));
    } while (peek(","));
    return true;
  }

  std::vector<Token> tokens_;
  Diagnostics& diagnostics_;
  std::size_t at_ = 0, depth_ = 0;
  bool failed_ = false;
};

}  // namespace

ExprPtr parse_expression(std::string_view text, const Span& span, Diagnostics& diagnostics) {
  if (ExprPtr stored = find_formula(text, span)) return stored;
  std::vector<Token> tokens = lex(text, span, diagnostics);
  return tokens.empty() ? nullptr : Parser(std::move(tokens), diagnostics).whole();
}

bool parse_domain(std::string_view text, const Span& span, Diagnostics& diagnostics, Domain& out) {
  out = {};
  std::vector<Token> tokens = lex(text, span, diagnostics);
  return !tokens.empty() && Parser(std::move(tokens), diagnostics).domain(out);
}

bool parse_signature(std::string_view text, const Span& span, Diagnostics& diagnostics, Signature& out) {
  out = {};
  std::vector<Token> tokens = lex(text, span, diagnostics);
  return !tokens.empty() && Parser(std::move(tokens), diagnostics).signature(out);
}

bool parse_quantity(std::string_view text, double& value, Dimension& dimension) {
  // Reads a number with an optional unit and an optional minus. Most quantities are plain numbers such as 0.839. These
  // are read directly, by the same function as in the lexer. Any other text is split into tokens, which must be a minus or
  // nothing, a number, and the end. A number that is out of range fails in the lexer, whose message is dropped.
  const auto is_digit = [](char c) { return '0' <= c && c <= '9'; };
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point), fraction = text.substr(std::min(point + 1, text.size()));
  const auto are_digits = [&](std::string_view part) { return !part.empty() && std::all_of(part.begin(), part.end(), is_digit); };
  double number = 0;
  if (are_digits(whole) && (point == text.size() || are_digits(fraction)) &&
      std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc()) {
    value = number;
    dimension = {};
    return true;
  }
  Diagnostics ignored;
  const std::vector<Token> tokens = lex(text, {}, ignored);
  const bool negative = !tokens.empty() && tokens[0].kind == Token::Kind::sign && tokens[0].text == "-";
  const std::size_t first = negative ? 1 : 0;
  if (tokens.size() != first + 2 || tokens[first].kind != Token::Kind::number) return false;
  value = negative ? -tokens[first].number : tokens[first].number;
  dimension = tokens[first].dimension;
  return true;
}

}  // namespace opledger
