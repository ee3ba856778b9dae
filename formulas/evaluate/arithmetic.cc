#include <fmt/core.h>

#include <cmath>
#include <map>
#include <string>

#include "base/limits.h"
#include "formulas/evaluate/interpreter.h"
#include "formulas/formula_text.h"

/// Operators and built-in functions on values.
namespace opledger {
namespace {

/// Returns the end of a message about a comparison of different units: how to write a number that lacks the unit of the
/// other operand. Empty if no operand is such a number.
std::string unit_advice(const Formula& comparison, const Dimension& left, const Dimension& right) {
  if (comparison.kind != Formula::Kind::operation || left.plain() == right.plain()) return {};
  const Formula& number = *comparison.args[left.plain() ? 0 : 1];
  if (number.kind != Formula::Kind::constant || number.source == nullptr) return {};
  return fmt::format(": write the number with its unit, `{} {}`", number.source->text, to_string(left.plain() ? right : left));
}

}  // namespace

Value Interpreter::operation(const Formula& f, const Point& point, const Frame& frame) {
  // Evaluates an operator with one operand (`not`, a sign) or two (a comparison, arithmetic): the operands first, then
  // the operation with its check of kinds and units. `and` and `or` have their own function, because they may skip the
  // right operand. An absent operand of `not` counts as false. `apply` computes a number or records the operation if an
  // operand is a symbol; `finish` adds the unit and, without a tape, reports overflow.
  if (f.op == Op::logical_and || f.op == Op::logical_or) return logic(f, point, frame);
  const Value a = f.op == Op::logical_not ? as_truth(interpret(*f.args[0], point, frame)) : interpret(*f.args[0], point, frame);
  if (failed_) return {};
  if (f.args.size() == 1) {
    if (f.op == Op::logical_not) {
      if (a.kind != Value::Kind::truth) return fail(span_of(f), fmt::format("`not` needs true or false, not {}", describe(a)));
      return truth_value(apply(tape_, f.op, a.scalar));
    }
    if (!a.is_number()) return fail(span_of(f), fmt::format("`{}` works on numbers, not on {}", symbol_of(f.op), describe(a)));
    Value v = finish(apply(tape_, f.op, a.scalar), a.unit, f);
    v.any_unit = a.any_unit;
    return v;
  }
  const Value b = interpret(*f.args[1], point, frame);
  if (failed_) return {};
  if (f.op >= Op::equal && f.op <= Op::greater_equal) return compare(f.op, a, b, f);
  return arithmetic(f.op, a, b, f);
}

Value Interpreter::logic(const Formula& f, const Point& point, const Frame& frame) {
  // Evaluates `and` and `or`. A constant left operand that decides the result skips the right operand. A symbolic left
  // operand has different values for the candidates of a search. If its value for the sample decides, the right operand
  // is still evaluated, because other candidates need it. The right operand may fail then: a guard on the left operand
  // restricts the recording to candidates with the sample's value. Units mode, the check before a run, evaluates both
  // operands for their kinds.
  const Value a = as_truth(interpret(*f.args[0], point, frame));
  if (failed_) return {};
  if (a.kind != Value::Kind::truth) return fail(span_of(f), fmt::format("`{}` joins true and false, not {}", symbol_of(f.op), describe(a)));
  const bool decides = mode_ == Mode::numbers && (a.scalar.value != 0) == (f.op == Op::logical_or);
  if (decides && a.scalar.constant()) return a;
  const auto right = [&] { return interpret(*f.args[1], point, frame); };
  const std::optional<Value> tried = decides ? attempt(right) : right();
  if (failed_) {
    specialize(tape_, a.scalar);  // other candidates may have a value
    return {};
  }
  if (!tried) return truth_value(tape_->guard(a.scalar) != 0);
  const Value b = as_truth(*tried);
  if (b.kind != Value::Kind::truth) return fail(span_of(f), fmt::format("`{}` joins true and false, not {}", symbol_of(f.op), describe(b)));
  return truth_value(apply(tape_, f.op, a.scalar, b.scalar));
}

Value Interpreter::compare(Op op, const Value& left, const Value& right, const Formula& f) {
  // Returns the truth of a comparison. Words and texts compare by spelling and only for equality; truths and numbers
  // compare by value, and numbers must have one unit. An absent value next to a truth counts as false. `nothing` equals
  // only `nothing` and has no order. Units mode, the check before a run, needs kinds and units only, so its result is
  // an arbitrary truth.
  if (failed_) return {};
  const Value a = right.kind == Value::Kind::truth ? as_truth(left) : left, b = left.kind == Value::Kind::truth ? as_truth(right) : right;
  const auto wordy = [](const Value& v) { return v.kind == Value::Kind::word || v.kind == Value::Kind::text; };
  if (wordy(a) && wordy(b)) {
    if (op != Op::equal && op != Op::not_equal) return fail(span_of(f), fmt::format("words can be equal or not: `{}`", shown(f)));
    if (mode_ == Mode::units || a.text == nullptr || b.text == nullptr) return truth_value(true);
    if (!a.scalar.constant() || !b.scalar.constant()) return compare_symbols(op, a, b);
    return truth_value((*a.text == *b.text) == (op == Op::equal));
  }
  const bool ordered = op != Op::equal && op != Op::not_equal;
  if ((a.kind == Value::Kind::nothing || b.kind == Value::Kind::nothing) && (!ordered || mode_ == Mode::units))
    return truth_value((a.kind == b.kind) == (op == Op::equal));
  if (a.kind == Value::Kind::truth && b.kind == Value::Kind::truth) return truth_value(apply(tape_, op, a.scalar, b.scalar));
  if (!a.is_number() || !b.is_number()) return fail(span_of(f), fmt::format("`{}` compares {} with {}", shown(f), describe(a), describe(b)));
  unify(a, b, span_of(f));
  if (failed_) {
    const std::string advice = unit_advice(f, a.unit, b.unit);
    if (!advice.empty()) error_ = std::make_shared<Diagnostic>(Diagnostic{Severity::error, error_->span, error_->message + advice, {}});
    return {};
  }
  return truth_value(apply(tape_, op, a.scalar, b.scalar));
}

/// Compares two words or texts for equality, at least one of them symbolic. The `scalar` of a symbolic word is a symbol
/// for the position in its set, and its `text` is the sample's. Words of one set compare by position, so the result is
/// a symbol for all candidates. A word that the symbol's set lacks is never equal. Texts and words of different sets
/// have no common positions: a guard fixes each symbol to the sample's word, and the spellings are compared.
Value Interpreter::compare_symbols(Op op, const Value& a, const Value& b) {
  if (!a.scalar.constant() && !b.scalar.constant()) {
    if (a.set && a.set == b.set) return truth_value(apply(tape_, op, a.scalar, b.scalar));
    tape_->guard(a.scalar);
    tape_->guard(b.scalar);
    return truth_value((*a.text == *b.text) == (op == Op::equal));
  }
  const Value &symbol = a.scalar.constant() ? b : a, &word = a.scalar.constant() ? a : b;
  if (!symbol.set) {  // texts have no positions
    tape_->guard(symbol.scalar);
    return truth_value((*a.text == *b.text) == (op == Op::equal));
  }
  const Set& set = program_.set(symbol.set);
  const auto found = set.index.find(*word.text);
  if (found == set.index.end()) return truth_value(op == Op::not_equal);
  return truth_value(apply(tape_, op, symbol.scalar, integer(found->second)));
}

Value Interpreter::arithmetic(Op op, const Value& a, const Value& b, const Formula& f) {
  // Computes the unit, then the number. Sums, remainders, minima and maxima need equal units, powers plain numbers;
  // products and quotients combine units. Zeros such as the literal 0 are compatible with every unit (Value::any_unit);
  // `any_unit` says whether the result is, too. A constant divisor of 0 is an error. A symbolic divisor that is 0 for the
  // sample is no error, because such
  // candidates may take another branch. Units mode, the check before a run, computes only the unit.
  if (!a.is_number() || !b.is_number())
    return fail(span_of(f), fmt::format("`{}` works on numbers, not on {} and {}", symbol_of(op), describe(a), describe(b)));
  Dimension unit = a.unit;
  bool any_unit = false;
  switch (op) {
    case Op::multiply:
      unit = a.unit * b.unit;
      any_unit = a.any_unit || b.any_unit;
      break;
    case Op::divide:
    case Op::floor_divide:
      unit = a.unit / b.unit;
      any_unit = a.any_unit || b.any_unit;
      break;
    case Op::power:
      if (!b.unit.plain() || (!a.unit.plain() && mode_ == Mode::units)) return fail(span_of(f), "`^` works on plain numbers");
      break;
    default: {
      const Value same = unify(a, b, span_of(f));
      if (failed_) return {};
      unit = same.unit;
      any_unit = a.any_unit && b.any_unit;
    }
  }
  Value v;
  if (mode_ == Mode::units) {
    v = number_value(real(1), unit);
  } else {
    const bool divides = op == Op::divide || op == Op::floor_divide || op == Op::modulo;
    if (divides && b.scalar.constant() && b.scalar.value == 0) return fail(span_of(f), fmt::format("division by zero: `{}`", shown(f)));
    v = finish(apply(tape_, op, a.scalar, b.scalar), unit, f);
  }
  v.any_unit = any_unit;
  return v;
}

/// Evaluates `range(n)`: the list 0, 1, … n - 1. Units mode, the check before a run, has no value of n: one item
/// represents all. On a tape, n must be a constant, because the length of a list can't be a symbol.
Value Interpreter::range(const std::vector<Value>& args, const Formula& f) {
  if (args.size() != 1) return fail(span_of(f), "`range` takes one argument");
  if (!args[0].unit.plain()) return fail(span_of(f), "`range` works on plain numbers");
  Record items;
  if (mode_ == Mode::units) {
    items.fields.emplace_back("", args[0]);
    return keep_list(std::move(items));
  }
  const double n = args[0].scalar.value;
  if (!args[0].scalar.constant()) return fail(span_of(f), fmt::format("`{}`: how many there are must not vary here", shown(f)));
  if (n < 0 || n != std::floor(n)) return fail(span_of(f), fmt::format("`{}`: {} is no whole number from 0", shown(f), exact(n)));
  if (n > kMaxDocumentValues)
    return fail(span_of(f), fmt::format("`{}`: {} values are too many, at most {} are possible", shown(f), exact(n), kMaxDocumentValues));
  for (int i = 0; i < static_cast<int>(n); ++i) items.fields.emplace_back("", number_value(integer(i)));
  return keep_list(std::move(items));
}

Value Interpreter::builtin(const Formula& f, const Point& point, const Frame& frame) {
  // Evaluates the arguments, which must be numbers, then the built-in function by its name `f.text`. `min` and `max`
  // fold over their arguments, and `ceil_div(a, b)` is computed as -floor(-a / b). `range` gives a list. Other
  // functions are one operation of the tape, which records it if an argument is a symbol. `finish` adds the unit and,
  // without a tape, reports overflow. Units mode, the check before a run, computes only units. The linker admits no other names except
  // `divisors`, which has a meaning only after `in` and in a search axis.
  std::vector<Value> args;
  for (const Formula* arg : f.args) {
    args.push_back(interpret(*arg, point, frame));
    if (failed_) return {};
    if (!args.back().is_number()) return fail(span_of(f), fmt::format("`{}` works on numbers, not on {}", f.text, describe(args.back())));
  }
  const auto arity_is = [&](std::size_t n) { return args.size() == n; };
  if (f.text == "min" || f.text == "max") {
    if (args.empty()) return fail(span_of(f), fmt::format("`{}` needs at least one argument", f.text));
    Value v = args[0];
    for (std::size_t i = 1; i < args.size() && !failed_; ++i) v = arithmetic(f.text == "min" ? Op::minimum : Op::maximum, v, args[i], f);
    return v;
  }
  if (f.text == "range") return range(args, f);
  if (f.text == "ceil_div" || f.text == "gcd") {
    if (!arity_is(2)) return fail(span_of(f), fmt::format("`{}` takes two arguments", f.text));
    if (f.text == "gcd") {
      if (mode_ == Mode::units) return args[0];
      if (!args[0].scalar.constant() || !args[1].scalar.constant()) return number_value(apply(tape_, Op::gcd, args[0].scalar, args[1].scalar));
      return finish(apply(tape_, Op::gcd, args[0].scalar, args[1].scalar), {}, f);
    }
    if (mode_ == Mode::numbers && args[1].scalar.constant() && args[1].scalar.value == 0)
      return fail(span_of(f), fmt::format("division by zero: `{}`", shown(f)));
    if (mode_ == Mode::units) return number_value(real(1), args[0].unit / args[1].unit);
    const Scalar down = apply(tape_, Op::floor_divide, apply(tape_, Op::negate, args[0].scalar), args[1].scalar);
    Value v = finish(apply(tape_, Op::negate, down), args[0].unit / args[1].unit, f);
    v.any_unit = args[0].any_unit;
    return v;
  }
  static const std::map<std::string, Op, std::less<>> kUnary = {
      {"floor", Op::floor}, {"ceil", Op::ceil}, {"abs", Op::absolute}, {"sqrt", Op::square_root}, {"log2", Op::log2}};
  const auto found = kUnary.find(f.text);
  if (found == kUnary.end()) return fail(span_of(f), fmt::format("`{}` gives a list of values: it can only stand in a search axis", f.text));
  if (!arity_is(1)) return fail(span_of(f), fmt::format("`{}` takes one argument", f.text));
  const bool plain = found->second == Op::square_root || found->second == Op::log2;
  if (plain && !args[0].unit.plain()) return fail(span_of(f), fmt::format("`{}` works on plain numbers", f.text));
  if (mode_ == Mode::units) return args[0];
  Value v = finish(apply(tape_, found->second, args[0].scalar), args[0].unit, f);
  v.any_unit = args[0].any_unit;
  return v;
}

}  // namespace opledger
