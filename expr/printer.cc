#include "expr/printer.h"

#include "expr/aggregates.h"
#include "expr/precedence.h"
#include "expr/scalar.h"

namespace opledger {
namespace {

using Kind = Expr::Kind;

/// Returns the precedence of an operation, the same as in the parser. Functions such as `floor` bind tightest.
Precedence level_of(Op op) {
  switch (op) {
    case Op::logical_or:
      return kOr;
    case Op::logical_and:
      return kAnd;
    case Op::logical_not:
      return kNot;
    case Op::equal:
    case Op::not_equal:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
      return kComparison;
    case Op::add:
    case Op::subtract:
      return kSum;
    case Op::multiply:
    case Op::divide:
    case Op::floor_divide:
    case Op::modulo:
      return kTerm;
    case Op::negate:
      return kUnary;
    case Op::power:
      return kPower;
    default:
      return kPostfix;
  }
}

/// A recursive printer. A subtree is put in brackets if its level is looser than its place.
class Printer {
 public:
  using Value = std::function<std::optional<std::string>(const Expr&)>;
  explicit Printer(const Value& value) : value_(value) {}

  std::string text;

  /// Prints a subtree, or the value that replaces it. `place` is the loosest level that needs no brackets here.
  void print(const Expr& e, Precedence place) {
    if (value_) {
      if (const std::optional<std::string> substitute = value_(e)) return put_value(*substitute, place);
    }
    print_itself(e, place);
  }

 private:
  void put_value(const std::string& value, Precedence place) {
    const bool brackets = !value.empty() && value[0] == '-' && place > kSum;  // brackets as in `2 * (-3)`
    text += brackets ? "(" + value + ")" : value;
  }

  void print_itself(const Expr& e, Precedence place) {
    const bool brackets = level(e) < place;
    if (brackets) text += '(';
    print_open(e);
    if (brackets) text += ')';
  }

  static Precedence level(const Expr& e) {
    if (e.kind == Kind::operation) return level_of(e.op);
    if (e.kind == Kind::in) return kComparison;
    if (e.kind == Kind::condition) return kAny;
    if (e.kind == Kind::number && number(e)[0] == '-') return kUnary;
    return kPostfix;
  }

  static std::string number(const Expr& e) {
    if (!e.text.empty()) return e.text;
    return e.dimension.plain() ? exact(e.number) : exact(e.number) + " " + to_string(e.dimension);
  }

  /// Prints a node by its kind, without brackets around it. Operands are printed recursively, each with the level that its
  /// place requires. The name before `.(` is not a value, so no value replaces it.
  void print_open(const Expr& e) {
    switch (e.kind) {
      case Kind::number:
        text += number(e);
        break;
      case Kind::boolean:
        text += e.number != 0 ? "true" : "false";
        break;
      case Kind::text:
        text += "'" + e.text + "'";
        break;
      case Kind::null:
        text += "null";
        break;
      case Kind::inherited:
        text += "inherited";
        break;
      case Kind::name:
        text += e.text;
        break;
      case Kind::member:
        print(*e.args[0], kPostfix), text += "." + e.text;
        break;
      case Kind::at:
        print_itself(*e.args[0], kPostfix), text += '.', list("(", e, 1, ")");
        break;
      case Kind::index:
        print(*e.args[0], kPostfix), list("[", e, 1, "]");
        break;
      case Kind::call:
        callee(*e.args[0]), list("(", e, 1, ")");
        break;
      case Kind::list:
        list("[", e, 0, "]");
        break;
      case Kind::operation:
        operation(e);
        break;
      case Kind::in:
        infix(e, "in", kSum, kSum);
        break;
      case Kind::condition:
        condition(e);
        break;
      case Kind::aggregate:
        aggregate(e);
        break;
    }
  }

  /// Prints the called expression. A name or a member is not a value here, so no value replaces it.
  void callee(const Expr& e) {
    const std::optional<Aggregate> word = e.kind == Kind::name ? aggregate_named(e.text) : std::nullopt;
    if (word && !is_function_too(*word)) {  // Without brackets the text would be an aggregate.
      text += "(" + e.text + ")";
    } else if (e.kind == Kind::name || e.kind == Kind::member) {
      print_itself(e, kPostfix);
    } else {
      print(e, kPostfix);
    }
  }

  void list(const char* open, const Expr& e, std::size_t first, const char* close) {
    text += open;
    for (std::size_t i = first; i < e.args.size(); ++i) {
      if (i > first) text += ", ";
      print(*e.args[i], kAny);
    }
    text += close;
  }

  void infix(const Expr& e, const char* sign, Precedence left, Precedence right) {
    print(*e.args[0], left);
    text += ' ';
    text += sign;
    text += ' ';
    print(*e.args[1], right);
  }

  void operation(const Expr& e) {
    // Prints an operation as a function, a prefix or an infix. The right operand of a left-associative operator needs a
    // tighter level than its own, as in `a - (b - c)`. Powers group to the right. Both operands of a comparison need a
    // tighter level, because comparisons do not chain.
    const Precedence own = level_of(e.op);
    if (own == kPostfix) {
      text += symbol_of(e.op);
      list("(", e, 0, ")");
    } else if (e.op == Op::logical_not || e.op == Op::negate) {
      text += e.op == Op::negate ? "-" : "not ";
      print(*e.args[0], own);
    } else if (e.op == Op::power) {
      infix(e, "^", kPostfix, kUnary);
    } else {
      const auto tighter = static_cast<Precedence>(own + 1);
      infix(e, symbol_of(e.op), own == kComparison ? tighter : own, tighter);
    }
  }

  void condition(const Expr& e) {
    text += "if ";
    print(*e.args[0], kOr);
    text += " then ";
    print(*e.args[1], kAny);
    text += " else ";
    print(*e.args[2], kAny);
  }

  void aggregate(const Expr& e) {
    text += name_of(e.aggregate);
    text += '(';
    if (e.aggregate != Aggregate::count) print(*e.args[0], kAny), text += ' ';
    text += "over " + e.text;
    for (std::size_t i = 0; i < e.per.size(); ++i) text += (i == 0 ? " per " : ", ") + e.per[i]->text;
    if (e.args.size() > 1) text += " where ", print(*e.args[1], kAny);
    text += ')';
  }

  const Value& value_;
};

}  // namespace

std::string to_source(const Expr& expr) { return to_source(expr, nullptr); }

std::string to_source(const Expr& expr, const std::function<std::optional<std::string>(const Expr&)>& value) {
  Printer printer(value);
  printer.print(expr, kAny);
  return std::move(printer.text);
}

}  // namespace opledger
