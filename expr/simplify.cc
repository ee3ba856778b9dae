#include "expr/simplify.h"

#include <bit>
#include <cmath>
#include <utility>

namespace opledger {
namespace {

bool is(const Scalar& s, double value) { return s.constant() && s.value == value; }

/// Returns whether `a op b` equals `b op a`.
bool commutes(Op op) {
  switch (op) {
    case Op::add:
    case Op::multiply:
    case Op::minimum:
    case Op::maximum:
    case Op::gcd:
    case Op::equal:
    case Op::not_equal:
    case Op::logical_and:
    case Op::logical_or:
      return true;
    default:
      return false;
  }
}

/// Returns the instruction of a symbol if its operation is `op`, otherwise null.
const Tape::Instruction* instruction_of(const Tape& tape, const Scalar& s, Op op) {
  if (s.constant()) return nullptr;
  const Tape::Instruction& i = tape.instructions()[s.symbol];
  return i.kind == Tape::Instruction::Kind::operation && i.op == op ? &i : nullptr;
}

/// Returns whether x is a power of two, from about 2^-1000 to 2^1000, so that its inverse is a normal number. A quotient
/// by x and a product with its inverse then round the same real number.
bool has_exact_inverse(double x) {
  int exponent = 0;
  return x > 0 && std::isnormal(x) && std::frexp(x, &exponent) == 0.5 && exponent > -1000 && exponent < 1000;
}

std::optional<Scalar> simplify_arithmetic(const Operation& o) {
  // Returns the operand or constant that equals an arithmetic operation, if a rule applies. Neutral operands are dropped, as in `x + 0`.
  // Absorbing operands, as in `x * 0`, need an exact (finite, whole) other operand, because infinity and NaN are not
  // absorbed. Rules look at the second operand only: `normalize` has moved constants of commutative operations there.
  const auto& [op, a, b, c] = o;
  switch (op) {
    case Op::add:
      if (is(b, 0)) return a;
      break;
    case Op::subtract:
      if (is(b, 0)) return a;
      if (same(a, b) && a.exact) return integer(0);
      break;
    case Op::multiply:
      if (is(b, 1)) return a;
      if (is(b, 0) && a.exact) return b;  // Other numbers do not: infinity times 0 is NaN.
      break;
    case Op::divide:
      if (is(b, 1)) return a;
      break;
    case Op::floor_divide:
      if (is(b, 1) && a.exact) return a;
      break;
    case Op::modulo:
      if (is(b, 1) && a.exact) return integer(0);
      break;
    case Op::power:
      if (is(b, 1)) return a;
      if (is(b, 0)) return integer(1);
      break;
    case Op::gcd:
      if (is(b, 1) && a.exact) return b;
      break;
    case Op::floor:
    case Op::ceil:
      if (a.exact) return a;
      break;
    default:
      break;
  }
  return std::nullopt;
}

/// Decides a comparison of a value with itself.
std::optional<Scalar> simplify_comparison(const Operation& o) {
  if (!same(o.a, o.b) || !o.a.exact) return std::nullopt;  // An inexact operand may be NaN, which does not equal itself.
  switch (o.op) {
    case Op::equal:
    case Op::less_equal:
    case Op::greater_equal:
      return truth(true);
    case Op::not_equal:
    case Op::less:
    case Op::greater:
      return truth(false);
    default:
      return std::nullopt;
  }
}

std::optional<Scalar> simplify_logic(const Operation& o) {
  // Returns the operand or constant that equals a logical operation, a condition, a minimum or a maximum. Operands of
  // logical operations are truths, 0 or 1. Rules at the end hold for `and`, `or`, `min` and `max` of equal operands.
  const auto& [op, a, b, c] = o;
  switch (op) {
    case Op::logical_and:
      if (b.constant()) return b.value != 0 ? a : truth(false);
      break;
    case Op::logical_or:
      if (b.constant()) return b.value != 0 ? truth(true) : a;
      break;
    case Op::select:
      if (a.constant()) return a.value != 0 ? b : c;
      if (same(b, c)) return Scalar{b.value, b.symbol, b.exact && c.exact};
      if (is(b, 1) && is(c, 0)) return Scalar{a.value, a.symbol, true};
      return std::nullopt;
    case Op::minimum:
    case Op::maximum:
      break;
    default:
      return std::nullopt;
  }
  return same(a, b) ? std::optional(a) : std::nullopt;
}

}  // namespace

bool same(const Scalar& a, const Scalar& b) {
  if (a.constant() != b.constant()) return false;
  return a.constant() ? std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value) : a.symbol == b.symbol;
}

Operation normalize(Operation o) {
  // Hash consing finds equal operations only if their form is equal. Commutative operands are ordered by symbol,
  // constants last.
  if (o.op == Op::greater || o.op == Op::greater_equal) {
    o.op = o.op == Op::greater ? Op::less : Op::less_equal;
    std::swap(o.a, o.b);
  } else if (commutes(o.op) && (o.a.constant() || (!o.b.constant() && o.b.symbol < o.a.symbol))) {
    std::swap(o.a, o.b);
  } else if (o.op == Op::divide && o.b.constant() && o.b.value != 1 && has_exact_inverse(o.b.value)) {
    o.op = Op::multiply;
    o.b = real(1 / o.b.value);
  }
  return o;
}

std::optional<Scalar> simplify(const Operation& o) {
  if (auto s = simplify_arithmetic(o)) return s;
  if (auto s = simplify_comparison(o)) return s;
  return simplify_logic(o);
}

bool is_truth(const Tape& tape, const Scalar& s) {
  if (s.constant()) return s.value == 0 || s.value == 1;
  const Tape::Instruction& i = tape.instructions()[s.symbol];
  if (i.kind != Tape::Instruction::Kind::operation) return false;
  return (i.op >= Op::equal && i.op <= Op::logical_not);
}

std::optional<Operation> rewrite(const Tape& tape, const Operation& o) {
  // Each case replaces an operation by a cheaper or more regular one with equal results. Negations move into equalities
  // and conditions, so that guards on both forms share a symbol. Orders such as `<` stay, because both `a < b` and
  // `a >= b` are false if an operand is NaN. A result that is a plain symbol is returned
  // as `x and true`, because this function returns operations; `simplify` reduces it to x when the caller applies it.
  const auto& [op, a, b, c] = o;
  switch (op) {
    case Op::power:
      if (is(b, 2)) return Operation{Op::multiply, a, a, {}};
      break;
    case Op::subtract:
      if (is(a, 0)) return Operation{Op::negate, b, {}, {}};
      break;
    case Op::equal:
    case Op::not_equal:  // Comparisons of a truth with `true` or `false`.
      if ((!is(b, 0) && !is(b, 1)) || !is_truth(tape, a)) break;
      if (is(b, op == Op::equal ? 0 : 1)) return Operation{Op::logical_not, a, {}, {}};
      return Operation{Op::logical_and, a, truth(true), {}};
    case Op::logical_not:
      if (const auto* i = instruction_of(tape, a, Op::logical_not)) return Operation{Op::logical_and, i->args[0], truth(true), {}};
      if (const auto* i = instruction_of(tape, a, Op::equal)) return Operation{Op::not_equal, i->args[0], i->args[1], {}};
      if (const auto* i = instruction_of(tape, a, Op::not_equal)) return Operation{Op::equal, i->args[0], i->args[1], {}};
      break;
    case Op::select:
      if (const auto* i = instruction_of(tape, a, Op::logical_not)) return Operation{Op::select, i->args[0], c, b};
      if (is(b, 0) && is(c, 1)) return Operation{Op::logical_not, a, {}, {}};
      break;
    default:
      break;
  }
  return std::nullopt;
}

}  // namespace opledger
