#pragma once
#include <cstdint>
#include <span>

#include "expr/ast.h"

/// A number during evaluation: a constant, or a symbol of a tape together with its value for the sample candidate.
namespace opledger {

struct Scalar {
  double value = 0;          ///< Value of the constant, or of the symbol for the sample. Truth is 0 or 1.
  std::int32_t symbol = -1;  ///< Position of the instruction in the tape; -1: a constant.
  bool exact = false;        ///< The value is an integer or a truth, computed from exact operands. Symbols above 2^53 may be rounded.

  bool constant() const { return symbol < 0; }
  friend bool operator==(const Scalar&, const Scalar&) = default;
};

inline Scalar integer(double value) { return {value, -1, true}; }
inline Scalar real(double value) { return {value, -1, false}; }
inline Scalar truth(bool value) { return {value ? 1.0 : 0.0, -1, true}; }

/// Returns the result of `op` on plain numbers; a kernel's block loops give the same bits. `a // b` is floor(a / b),
/// exact for integers below 2^53. `a % b` is a - b * floor(a / b). For integers below 2^53 it is exact, and 0 or of the
/// sign of b. For other numbers, rounding of a / b can give a result slightly beyond 0, of the other sign. `and`, `or`,
/// `not` and conditions expect 0 or 1. NaN as an operand of min or max gives NaN. Division by zero gives infinity or NaN;
/// the evaluator checks divisors first.
double apply(Op op, double a, double b = 0, double c = 0);

/// Returns the number of operands, 1 to 3.
int arity(Op op);
/// Returns whether the result for these operands is exact. Quotients by `/`, roots and logarithms never are. A power needs
/// exact operands and a constant exponent of at least 0, a condition exact branches. Comparisons and logic are exact for
/// any operands, all other operations for exact operands.
bool gives_exact(Op op, const Scalar& a, const Scalar& b, const Scalar& c);
/// Returns the symbol of the operation in formulas: `+`, `floor`, `and`.
const char* symbol_of(Op op);

}  // namespace opledger
