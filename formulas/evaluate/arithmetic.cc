#include "formulas/evaluate/arithmetic.h"

#include <fmt/core.h>

#include <cmath>
#include <map>
#include <string>

#include "base/limits.h"
#include "formulas/formula_text.h"

namespace opledger {
namespace {

/// Returns the message for a divisor of 0, which names the divisor if it is a value of a document.
std::string division_by_zero(const Formula& f) {
  const Formula& divisor = *f.args[1];
  const bool is_named = divisor.kind == Formula::Kind::field || divisor.kind == Formula::Kind::name;
  return fmt::format("division by zero: `{}`{}", shown(f), is_named ? fmt::format(", because `{}` is 0", shown(divisor)) : "");
}

/// Returns the end of a message about a comparison of different units: how to write a number that lacks the unit of the
/// other operand. Empty if no operand is such a number.
std::string unit_advice(const Formula& comparison, const Dimension& left, const Dimension& right) {
  if (comparison.kind != Formula::Kind::operation || left.plain() == right.plain()) return {};
  const Formula& number = *comparison.args[left.plain() ? 0 : 1];
  if (number.kind != Formula::Kind::constant || number.source == nullptr) return {};
  return fmt::format(": write the number with its unit, `{} {}`", number.source->text, to_string(left.plain() ? right : left));
}

}  // namespace

Value Arithmetic::unary(Op op, const Value& a, const Formula& f) {
  if (op == Op::logical_not) {
    if (a.kind != Value::Kind::truth) return error_.fail(span_of(f), fmt::format("`not` needs true or false, not {}", describe(a)));
    return truth_value(apply(tape_, op, a.scalar));
  }
  if (!a.is_number()) return error_.fail(span_of(f), fmt::format("`{}` works on numbers, not on {}", symbol_of(op), describe(a)));
  Value v = finish(apply(tape_, op, a.scalar), a.unit, f);
  v.any_unit = a.any_unit;
  return v;
}

Value Arithmetic::compare(Op op, const Value& left, const Value& right, const Formula& f) {
  // Returns the truth of a comparison. Words and texts compare by spelling and only for equality; truths and numbers
  // compare by value, and numbers must have one unit. An absent value next to a truth counts as false. `nothing` equals
  // only `nothing` and has no order. Units mode, the check before a run, needs kinds and units only, so its result is
  // an arbitrary truth.
  if (error_.failed()) return {};
  const Value a = right.kind == Value::Kind::truth ? as_truth(left) : left, b = left.kind == Value::Kind::truth ? as_truth(right) : right;
  const auto wordy = [](const Value& v) { return v.kind == Value::Kind::word || v.kind == Value::Kind::text; };
  if (wordy(a) && wordy(b)) {
    if (op != Op::equal && op != Op::not_equal) return error_.fail(span_of(f), fmt::format("words can be equal or not: `{}`", shown(f)));
    if (mode_ == Evaluator::Mode::units || a.text == nullptr || b.text == nullptr) return truth_value(true);
    if (!a.scalar.constant() || !b.scalar.constant()) return compare_symbols(op, a, b);
    return truth_value((*a.text == *b.text) == (op == Op::equal));
  }
  const bool ordered = op != Op::equal && op != Op::not_equal;
  if ((a.kind == Value::Kind::nothing || b.kind == Value::Kind::nothing) && (!ordered || mode_ == Evaluator::Mode::units))
    return truth_value((a.kind == b.kind) == (op == Op::equal));
  if (a.kind == Value::Kind::truth && b.kind == Value::Kind::truth) return truth_value(apply(tape_, op, a.scalar, b.scalar));
  if (!a.is_number() || !b.is_number()) return error_.fail(span_of(f), fmt::format("`{}` compares {} with {}", shown(f), describe(a), describe(b)));
  unify(a, b, span_of(f));
  if (error_.failed()) {
    error_.add_advice(unit_advice(f, a.unit, b.unit));
    return {};
  }
  return truth_value(apply(tape_, op, a.scalar, b.scalar));
}

/// Compares two words or texts for equality, at least one of them symbolic. The `scalar` of a symbolic word is a symbol
/// for the position in its set, and its `text` is the sample's. Words of one set compare by position, so the result is
/// a symbol for all candidates. A word that the symbol's set lacks is never equal. Texts and words of different sets
/// have no common positions: a guard fixes each symbol to the sample's word, and the spellings are compared.
Value Arithmetic::compare_symbols(Op op, const Value& a, const Value& b) {
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

Value Arithmetic::binary(Op op, const Value& a, const Value& b, const Formula& f) {
  // Computes the unit, then the number. Sums, remainders, minima and maxima need equal units, powers plain numbers;
  // products and quotients combine units. Zeros such as the literal 0 are compatible with every unit (Value::any_unit);
  // `any_unit` says whether the result is, too. A constant divisor of 0 is an error. A symbolic divisor that is 0 for the
  // sample is no error, because such
  // candidates may take another branch. Units mode, the check before a run, computes only the unit.
  if (op >= Op::equal && op <= Op::greater_equal) return compare(op, a, b, f);
  if (!a.is_number() || !b.is_number())
    return error_.fail(span_of(f), fmt::format("`{}` works on numbers, not on {} and {}", symbol_of(op), describe(a), describe(b)));
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
      if (!b.unit.plain() || (!a.unit.plain() && mode_ == Evaluator::Mode::units)) return error_.fail(span_of(f), "`^` works on plain numbers");
      break;
    default: {
      const Value same = unify(a, b, span_of(f));
      if (error_.failed()) return {};
      unit = same.unit;
      any_unit = a.any_unit && b.any_unit;
    }
  }
  Value v;
  if (mode_ == Evaluator::Mode::units) {
    v = number_value(real(1), unit);
  } else {
    const bool divides = op == Op::divide || op == Op::floor_divide || op == Op::modulo;
    if (divides && b.scalar.constant() && b.scalar.value == 0) return error_.fail(span_of(f), division_by_zero(f));
    v = finish(apply(tape_, op, a.scalar, b.scalar), unit, f);
  }
  v.any_unit = any_unit;
  return v;
}

Value Arithmetic::finish(Scalar scalar, Dimension unit, const Formula& f) {
  if (tape_ == nullptr && mode_ == Evaluator::Mode::numbers && !std::isfinite(scalar.value))
    return error_.fail(span_of(f), fmt::format("overflow: `{}` is not a finite number", shown(f)));
  return number_value(scalar, unit);
}

Value Arithmetic::unify(const Value& a, const Value& b, const Span& span) {
  // Returns the one of two values whose kind and unit fit both, or fails. Callers use its kind and unit, and combine
  // the numbers themselves. The literal 0 and absent values (`any_unit`) adapt to the other value, and so does
  // `nothing`.
  if (error_.failed() || a.kind == Value::Kind::nothing) return b;
  if (b.kind == Value::Kind::nothing) return a;
  if (a.kind == Value::Kind::number && b.kind == Value::Kind::number) {
    if (a.any_unit) return b;
    if (b.any_unit) return a;
    if (!(a.unit == b.unit)) return error_.fail(span, fmt::format("{} and {} do not go together", to_string(a.unit), to_string(b.unit)));
    return a;
  }
  // a truth with a false `when` is false
  const bool zero_truth = (a.any_unit && b.kind == Value::Kind::truth) || (b.any_unit && a.kind == Value::Kind::truth);
  if (zero_truth) return a.kind == Value::Kind::truth ? a : b;
  if (a.kind != b.kind) return error_.fail(span, fmt::format("{} and {} do not go together", describe(a), describe(b)));
  return a;
}

/// Evaluates `x in divisors(n)`: x is a positive whole number and n modulo x is 0. A select avoids a division by zero.
Value Arithmetic::divides(const Value& x, const Value& n, const Formula& list) {
  if (!x.is_number() || !n.is_number() || !x.unit.plain() || !n.unit.plain()) return error_.fail(span_of(list), "`divisors` works on plain numbers");
  if (mode_ == Evaluator::Mode::units) return truth_value(true);
  const Scalar positive = apply(tape_, Op::less, integer(0), x.scalar);
  const Scalar whole = apply(tape_, Op::equal, apply(tape_, Op::floor, x.scalar), x.scalar);
  const Scalar divisor = apply(tape_, Op::select, positive, x.scalar, integer(1));
  const Scalar even = apply(tape_, Op::equal, apply(tape_, Op::modulo, n.scalar, divisor), integer(0));
  return truth_value(apply(tape_, Op::logical_and, apply(tape_, Op::logical_and, positive, whole), even));
}

/// Evaluates `range(n)`: the list 0, 1, … n - 1. Units mode, the check before a run, has no value of n: one item
/// represents all. On a tape, n must be a constant, because the length of a list can't be a symbol.
Value Arithmetic::range(const std::vector<Value>& args, const Formula& f) {
  if (args.size() != 1) return error_.fail(span_of(f), "`range` takes one argument");
  if (!args[0].unit.plain()) return error_.fail(span_of(f), "`range` works on plain numbers");
  Record items;
  if (mode_ == Evaluator::Mode::units) {
    items.fields.emplace_back("", args[0]);
    return keep_list(std::move(items));
  }
  const double n = args[0].scalar.value;
  if (!args[0].scalar.constant()) return error_.fail(span_of(f), fmt::format("`{}`: how many there are must not vary here", shown(f)));
  if (n < 0 || n != std::floor(n)) return error_.fail(span_of(f), fmt::format("`{}`: {} is no whole number from 0", shown(f), exact(n)));
  if (n > kMaxDocumentValues)
    return error_.fail(span_of(f), fmt::format("`{}`: {} values are too many, at most {} are possible", shown(f), exact(n), kMaxDocumentValues));
  for (int i = 0; i < static_cast<int>(n); ++i) items.fields.emplace_back("", number_value(integer(i)));
  return keep_list(std::move(items));
}

Value Arithmetic::builtin(const Formula& f, const std::vector<Value>& args) {
  // Evaluates the built-in function of the name `f.text`. `min` and `max` fold over their arguments, and `ceil_div(a, b)`
  // is computed as -floor(-a / b). `range` gives a list. Other functions are one operation of the tape, which records it
  // if an argument is a symbol. `finish` adds the unit and, without a tape, reports overflow. Units mode, the check
  // before a run, computes only units. The linker admits no other names except `divisors`, which has a meaning only
  // after `in` and in a search axis.
  const auto arity_is = [&](std::size_t n) { return args.size() == n; };
  if (f.text == "min" || f.text == "max") {
    if (args.empty()) return error_.fail(span_of(f), fmt::format("`{}` needs at least one argument", f.text));
    Value v = args[0];
    for (std::size_t i = 1; i < args.size() && !error_.failed(); ++i) v = binary(f.text == "min" ? Op::minimum : Op::maximum, v, args[i], f);
    return v;
  }
  if (f.text == "range") return range(args, f);
  if (f.text == "ceil_div" || f.text == "gcd") {
    if (!arity_is(2)) return error_.fail(span_of(f), fmt::format("`{}` takes two arguments", f.text));
    if (f.text == "gcd") {
      if (mode_ == Evaluator::Mode::units) return args[0];
      if (!args[0].scalar.constant() || !args[1].scalar.constant()) return number_value(apply(tape_, Op::gcd, args[0].scalar, args[1].scalar));
      return finish(apply(tape_, Op::gcd, args[0].scalar, args[1].scalar), {}, f);
    }
    if (mode_ == Evaluator::Mode::numbers && args[1].scalar.constant() && args[1].scalar.value == 0) return error_.fail(span_of(f), division_by_zero(f));
    if (mode_ == Evaluator::Mode::units) return number_value(real(1), args[0].unit / args[1].unit);
    const Scalar down = apply(tape_, Op::floor_divide, apply(tape_, Op::negate, args[0].scalar), args[1].scalar);
    Value v = finish(apply(tape_, Op::negate, down), args[0].unit / args[1].unit, f);
    v.any_unit = args[0].any_unit;
    return v;
  }
  static const std::map<std::string, Op, std::less<>> kUnary = {
      {"floor", Op::floor}, {"ceil", Op::ceil}, {"abs", Op::absolute}, {"sqrt", Op::square_root}, {"log2", Op::log2}};
  const auto found = kUnary.find(f.text);
  if (found == kUnary.end()) return error_.fail(span_of(f), fmt::format("`{}` gives a list of values: it can only stand in a search axis", f.text));
  if (!arity_is(1)) return error_.fail(span_of(f), fmt::format("`{}` takes one argument", f.text));
  const bool plain = found->second == Op::square_root || found->second == Op::log2;
  if (plain && !args[0].unit.plain()) return error_.fail(span_of(f), fmt::format("`{}` works on plain numbers", f.text));
  if (mode_ == Evaluator::Mode::units) return args[0];
  Value v = finish(apply(tape_, found->second, args[0].scalar), args[0].unit, f);
  v.any_unit = args[0].any_unit;
  return v;
}

/// Stores a list that a formula creates for the life of the evaluator.
Value Arithmetic::keep_list(Record items) {
  lists_.push_back(std::make_unique<Record>(std::move(items)));
  Value v;
  v.kind = Value::Kind::list;
  v.record = lists_.back().get();
  return v;
}

void Arithmetic::each_item(FunctionRef<void(Value&)> update) {
  for (const auto& list : lists_) {
    for (auto& [_, item] : list->fields) update(item);
  }
}

}  // namespace opledger
