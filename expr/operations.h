#pragma once
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "expr/ast.h"

/// Operations on doubles, each defined once, for single numbers and for blocks. Functions defined here are always inlined:
/// kernel_block.cc is compiled with options and instruction sets of its own. Linkers merge equal inline functions of several
/// units, which could bring these instructions into other units. Functions only declared here are compiled in scalar.cc.
#define OPLEDGER_INLINE [[gnu::always_inline]] inline

namespace opledger::operations {

/// Returns the greatest common divisor of two whole numbers of either sign; NaN if one is not whole.
double greatest_common_divisor(double a, double b);

/// Base of all operations: the number of operands, known at compile time.
template <int operands>
struct Of {
  static constexpr int kArity = operands;
};

// Each operation is a type with one operator(). Truth is 1 or 0. Minimum and Maximum give NaN if an operand is NaN.
#define OPLEDGER_UNARY(Name, result)                                     \
  struct Name : Of<1> {                                                  \
    OPLEDGER_INLINE double operator()(double a) const { return result; } \
  };
#define OPLEDGER_BINARY(Name, result)                                              \
  struct Name : Of<2> {                                                            \
    OPLEDGER_INLINE double operator()(double a, double b) const { return result; } \
  };

OPLEDGER_BINARY(Add, a + b)
OPLEDGER_BINARY(Subtract, a - b)
OPLEDGER_BINARY(Multiply, (a * b))
OPLEDGER_BINARY(Divide, a / b)
/// Floor division is exact for integers: below 2^53 a fractional quotient is further from the next integer than
/// rounding can move it.
OPLEDGER_BINARY(FloorDivide, std::floor(a / b))
OPLEDGER_BINARY(Modulo, a - b * std::floor(a / b))
OPLEDGER_BINARY(Power, b == 2 ? a * a : std::pow(a, b))  // A square is one multiplication, as on a tape.
OPLEDGER_BINARY(Minimum, a < b || a != a ? a : b)
OPLEDGER_BINARY(Maximum, a > b || a != a ? a : b)
OPLEDGER_BINARY(Gcd, greatest_common_divisor(a, b))
OPLEDGER_BINARY(Equal, a == b ? 1.0 : 0.0)
OPLEDGER_BINARY(NotEqual, a != b ? 1.0 : 0.0)
OPLEDGER_BINARY(Less, a < b ? 1.0 : 0.0)
OPLEDGER_BINARY(LessEqual, a <= b ? 1.0 : 0.0)
OPLEDGER_BINARY(Greater, a > b ? 1.0 : 0.0)
OPLEDGER_BINARY(GreaterEqual, a >= b ? 1.0 : 0.0)
OPLEDGER_BINARY(And, ((a != 0) & (b != 0)) ? 1.0 : 0.0)  // The operator `&&` would put branches into block loops.
OPLEDGER_BINARY(Or, ((a != 0) | (b != 0)) ? 1.0 : 0.0)
OPLEDGER_UNARY(Not, a == 0 ? 1.0 : 0.0)
OPLEDGER_UNARY(Negate, 0 - a)  // The result for 0 is 0, not -0.
OPLEDGER_UNARY(Floor, std::floor(a))
OPLEDGER_UNARY(Ceil, std::ceil(a) + 0.0)  // The sum turns -0 into 0.
OPLEDGER_UNARY(Absolute, std::fabs(a))
OPLEDGER_UNARY(SquareRoot, std::sqrt(a))
OPLEDGER_UNARY(Log2, std::log2(a))

struct Select : Of<3> {
  OPLEDGER_INLINE double operator()(double a, double b, double c) const { return a != 0 ? b : c; }
};

#undef OPLEDGER_UNARY
#undef OPLEDGER_BINARY

/// Returns the item of a table; NaN beyond its ends. A fractional index is rounded down.
OPLEDGER_INLINE double item(const double* table, std::size_t size, double index) {
  return index >= 0 && index < static_cast<double>(size) ? table[static_cast<std::size_t>(index)] : std::numeric_limits<double>::quiet_NaN();
}

/// Calls `visitor` with the type of the operation: `visitor(Add{})` for `Op::add`.
template <class Visitor>
OPLEDGER_INLINE auto visit(Op op, const Visitor& visitor) {
  // clang-format off
  switch (op) {
    case Op::add: return visitor(Add{});
    case Op::subtract: return visitor(Subtract{});
    case Op::multiply: return visitor(Multiply{});
    case Op::divide: return visitor(Divide{});
    case Op::floor_divide: return visitor(FloorDivide{});
    case Op::modulo: return visitor(Modulo{});
    case Op::power: return visitor(Power{});
    case Op::minimum: return visitor(Minimum{});
    case Op::maximum: return visitor(Maximum{});
    case Op::gcd: return visitor(Gcd{});
    case Op::equal: return visitor(Equal{});
    case Op::not_equal: return visitor(NotEqual{});
    case Op::less: return visitor(Less{});
    case Op::less_equal: return visitor(LessEqual{});
    case Op::greater: return visitor(Greater{});
    case Op::greater_equal: return visitor(GreaterEqual{});
    case Op::logical_and: return visitor(And{});
    case Op::logical_or: return visitor(Or{});
    case Op::logical_not: return visitor(Not{});
    case Op::negate: return visitor(Negate{});
    case Op::floor: return visitor(Floor{});
    case Op::ceil: return visitor(Ceil{});
    case Op::absolute: return visitor(Absolute{});
    case Op::square_root: return visitor(SquareRoot{});
    case Op::log2: return visitor(Log2{});
    case Op::select: return visitor(Select{});
  }
  // clang-format on
  __builtin_unreachable();
}

}  // namespace opledger::operations
