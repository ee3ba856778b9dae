#pragma once
#include <memory>
#include <vector>

#include "base/function_ref.h"
#include "formulas/evaluate/evaluator.h"
#include "formulas/evaluate/query_error.h"

/// Operators and built-in functions on values: arithmetic, comparisons, lists. Values may be symbols of a tape; the
/// operation is then recorded. In units mode only kinds and units are checked.
namespace opledger {

/// Operations of one evaluation. `f` is the formula that asks, for messages. After an error they return `nothing`.
class Arithmetic {
 public:
  /// Everything passed must outlive the object; `tape` may be null.
  Arithmetic(const Program& program, Evaluator::Mode mode, Tape* tape, QueryError& error) : program_(program), mode_(mode), tape_(tape), error_(error) {}

  /// Applies an operator with one operand: `not`, or a sign.
  Value unary(Op op, const Value& a, const Formula& f);
  /// Applies an operator with two operands: a comparison, or arithmetic.
  Value binary(Op op, const Value& a, const Value& b, const Formula& f);
  /// Applies the built-in function `f.text` to numbers.
  Value builtin(const Formula& f, const std::vector<Value>& arguments);
  /// Returns whether the number `x` is a divisor of `n`; `f` is the call of `divisors`.
  Value divides(const Value& x, const Value& n, const Formula& f);
  /// Returns the one of two values whose kind and unit fit both, or fails.
  Value unify(const Value& a, const Value& b, const Span& span);

  /// Stores a list that a formula creates, for the life of the object.
  Value keep_list(Record items);
  /// Calls `update` with each item of the stored lists.
  void each_item(FunctionRef<void(Value& item)> update);

 private:
  Value compare(Op op, const Value& left, const Value& right, const Formula& f);
  Value compare_symbols(Op op, const Value& a, const Value& b);
  Value range(const std::vector<Value>& arguments, const Formula& f);
  /// Returns a number with a unit. Without a tape, fails if the number is not finite.
  Value finish(Scalar scalar, Dimension unit, const Formula& f);

  const Program& program_;
  const Evaluator::Mode mode_;
  Tape* const tape_;
  QueryError& error_;
  std::vector<std::unique_ptr<Record>> lists_;  ///< Lists that formulas created.
};

}  // namespace opledger
