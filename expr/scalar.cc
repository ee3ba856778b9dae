#include "expr/scalar.h"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "expr/operations.h"

namespace opledger {
namespace {

struct Apply {
  double a, b, c;

  template <class F>
  double operator()(F f) const {
    if constexpr (F::kArity == 1)
      return f(a);
    else if constexpr (F::kArity == 2)
      return f(a, b);
    else
      return f(a, b, c);
  }
};

struct Arity {
  template <class F>
  int operator()(F) const {
    return F::kArity;
  }
};

constexpr std::array<const char*, 26> kSymbols = {"+",  "-", "*",  "/",   "//", "%",   "^", "min",   "max",  "gcd", "==",   "!=",   "<",
                                                  "<=", ">", ">=", "and", "or", "not", "-", "floor", "ceil", "abs", "sqrt", "log2", "select"};
static_assert(static_cast<std::size_t>(Op::select) + 1 == kSymbols.size());

}  // namespace

namespace operations {

double greatest_common_divisor(double a, double b) {
  const auto whole = [](double x) { return std::isfinite(x) && std::floor(x) == x; };
  if (!whole(a) || !whole(b)) return std::numeric_limits<double>::quiet_NaN();
  a = std::fabs(a);
  b = std::fabs(b);
  while (b != 0) a = std::exchange(b, std::fmod(a, b));  // Euclid's algorithm. fmod is exact and at least halves the operands every second step.
  return a;
}

}  // namespace operations

double apply(Op op, double a, double b, double c) { return operations::visit(op, Apply{a, b, c}); }

int arity(Op op) { return operations::visit(op, Arity{}); }

const char* symbol_of(Op op) { return kSymbols[static_cast<std::size_t>(op)]; }

/// Whole numbers stay whole under sums, products, remainders and rounding. Truths are exact, even from inexact operands. A
/// power needs a constant exponent of at least 0, because a symbolic one could be negative for another candidate.
bool gives_exact(Op op, const Scalar& a, const Scalar& b, const Scalar& c) {
  switch (op) {
    case Op::divide:
    case Op::square_root:
    case Op::log2:
      return false;
    case Op::equal:
    case Op::not_equal:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_not:
      return true;
    case Op::power:
      return a.exact && b.exact && b.constant() && b.value >= 0;
    case Op::select:
      return b.exact && c.exact;
    default:
      return a.exact && (arity(op) < 2 || b.exact);
  }
}

}  // namespace opledger
