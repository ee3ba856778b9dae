#pragma once
#include <optional>

#include "expr/tape.h"

/// Peephole rewriting of one operation before it is recorded. Every rewrite keeps all bits of the result, except the
/// sign of zero; exact operands are assumed finite. No rewrite looks at sample values. A tape calls `normalize`, then
/// `simplify`, then `rewrite`.
namespace opledger {

/// An operation with its operands. At least one operand is a symbol.
struct Operation {
  Op op = Op::add;
  Scalar a, b, c;  ///< Operands in order; operands beyond the operation's arity are the constant 0.
};

/// Returns whether both are the same number: one symbol, or constants of equal bits.
bool same(const Scalar& a, const Scalar& b);

/// Returns the canonical form among operations with equal results. Operands of commutative operations are ordered:
/// symbols before constants, earlier symbols before later ones. `>` and `>=` become `<` and `<=` with swapped operands.
/// Division by a power of two becomes multiplication.
Operation normalize(Operation o);

/// Returns the operand or constant that equals a normalized operation, as for `x + 0`, `x * 1`, or `select` with equal
/// branches. Returns nothing if no rule applies.
std::optional<Scalar> simplify(const Operation& o);

/// Returns an equivalent operation that is cheaper or more regular: for a truth x, `x == false` becomes `not x`. `tape`
/// has the instructions that compute the operands. Returns nothing if no rule applies.
std::optional<Operation> rewrite(const Tape& tape, const Operation& o);

/// Returns whether a constant is 0 or 1, or whether a comparison or a logical operation computes the symbol.
bool is_truth(const Tape& tape, const Scalar& s);

}  // namespace opledger
