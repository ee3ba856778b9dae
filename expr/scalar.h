#pragma once
#include <cstdint>
#include <span>

#include "expr/ast.h"

/// A number during evaluation: a constant, or a symbol of a tape that carries the value it has for the sample candidate.
namespace opledger {

struct Scalar {
  double value = 0;          ///< The constant, or the sample's value. Truth is 0 or 1.
  std::int32_t symbol = -1;  ///< Position in the tape, or -1: a constant.
  bool exact = false;        ///< An integer or a truth, computed without rounding.

  bool constant() const { return symbol < 0; }
  friend bool operator==(const Scalar&, const Scalar&) = default;
};

inline Scalar integer(double value) { return {value, -1, true}; }
inline Scalar real(double value) { return {value, -1, false}; }
inline Scalar truth(bool value) { return {value ? 1.0 : 0.0, -1, true}; }

/// What an operation gives on plain numbers; the block path of a kernel gives the same, bit for bit. `a // b` is floor(a / b), which is exact for integers
/// below 2^53; `a % b` is a - b * floor(a / b): the sign of b, exact for integers, rounded for others. `and`, `or`, `not` and conditions take 0 and 1.
/// NaN in min or max gives NaN. Division by zero gives infinity or NaN here: who evaluates must check the divisor first.
double apply(Op op, double a, double b = 0, double c = 0);

int arity(Op op);
/// Whether the result of exact numbers is exact: it is not for `/`, roots, logarithms, and powers but those of natural exponents. What compares is exact
/// on all numbers.
bool gives_exact(Op op, const Scalar& a, const Scalar& b, const Scalar& c);
/// `+`, `floor`, `and`: as written in a formula.
const char* symbol_of(Op op);

}  // namespace opledger
