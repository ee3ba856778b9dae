#pragma once
#include <optional>

#include "expr/tape.h"

/// Rewriting of one operation before it is recorded: what it can be replaced by without any change to the result. Nothing here looks at samples.
namespace opledger {

/// An operation with its operands, at least one of them a symbol.
struct Operation {
  Op op = Op::add;
  Scalar a, b, c;
};

/// The same number: one symbol, or constants of equal bits.
bool same(const Scalar& a, const Scalar& b);

/// The one form of operations that give the same bits: symbols before constants, earlier ones first; `>` as `<`; division by a power of two as multiplication.
Operation normalise(Operation o);

/// A number that the operation equals, if it needs no computation: `x + 0`, `x * 1`, `select` of equal arms.
std::optional<Scalar> simplify(const Operation& o);

/// Another operation in its place: `x == false` is `not x`. `tape` tells how the operands came about.
std::optional<Operation> rewrite(const Tape& tape, const Operation& o);

/// Whether this is 0 or 1 because of the operation that gives it.
bool is_truth(const Tape& tape, const Scalar& s);

}  // namespace opledger
