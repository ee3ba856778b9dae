#pragma once
#include <optional>

#include "expr/tape.h"

/// Peephole rewriting of one operation before it is recorded. Every rewrite keeps all bits of the result, except the
/// sign of zero. No rewrite looks at sample values.
namespace opledger {

/// An operation with its operands. At least one operand is a symbol.
struct Operation {
  Op op = Op::add;
  Scalar a, b, c;  ///< Operands in order; operands beyond the operation's arity are the constant 0.
};

/// Returns whether both are the same number: one symbol, or constants of equal bits.
bool same(const Scalar& a, const Scalar& b);

/// Returns the canonical form among operations with equal results. Symbols precede constants, earlier symbols precede
/// later ones, `>` becomes `<`, and division by a power of two becomes multiplication.
Operation normalize(Operation o);

/// Returns the operand or constant that equals the operation: `x + 0`, `x * 1`, or `select` with equal branches.
/// Returns nothing if a computation is needed.
std::optional<Scalar> simplify(const Operation& o);

/// Returns an equivalent operation that is cheaper or more regular: `x == false` becomes `not x`. `tape` holds the
/// instructions behind the operands. Returns nothing if no rule applies.
std::optional<Operation> rewrite(const Tape& tape, const Operation& o);

/// Returns whether the value is known to be 0 or 1 from the operation that computes it.
bool is_truth(const Tape& tape, const Scalar& s);

}  // namespace opledger
