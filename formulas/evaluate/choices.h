#pragma once
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/function_ref.h"
#include "formulas/evaluate/arithmetic.h"

/// Choices that a tape leaves open: a condition, the current word of a set, an item of a list. Every alternative is
/// evaluated with its word or branch chosen. Alternatives with numbers or truths of one unit are joined by a chain of selects
/// over the words. Constant numbers in fields of alternative records become a table look-up instead. Records and curves
/// stay alternatives (`picks`, `curve_picks`) until a number is read. Alternatives of different kinds, or without a value,
/// decide the structure: the sample's is taken and a guard is recorded.
namespace opledger {

class Choices {
 public:
  /// Reads a field of a record: its stored value, or the value of an input of its own.
  using ReadField = FunctionRef<Value(const Value& stored)>;
  /// Returns the value at a word.
  using AtWord = FunctionRef<Value(WordId word)>;

  /// Everything passed must outlive the object; `tape` may be null.
  Choices(Evaluator::Mode mode, Tape* tape, QueryError& error, Arithmetic& arithmetic) : mode_(mode), tape_(tape), error_(error), arithmetic_(arithmetic) {}

  /// Evaluates an alternative that may fail. Returns nothing after a failure and clears the error.
  std::optional<Value> attempt(FunctionRef<Value()> alternative);
  /// Evaluates one branch of a constant condition, or joins both branches of a symbolic one.
  Value branch(const Value& condition, FunctionRef<Value()> then, FunctionRef<Value()> otherwise, const Span& span);
  /// Returns the value at a symbolic word: `of` gives the value at each of the set's words, `words` is their number.
  Value at_word(const Scalar& word, std::size_t words, AtWord of, const Span& span);
  /// Returns the value of a curve, which may have alternatives, at numbers or symbols.
  Scalar on_curve(const Value& curve, std::span<const Scalar> at);
  /// Returns the item of a list at a symbolic position.
  Value item(const Value& list, const Scalar& position, const Formula& f, ReadField read);
  /// Returns a field of a symbolic record.
  Value field(const Value& record, const std::string& name, const Formula& f, ReadField read);

 private:
  /// Returns a symbolic record with an alternative for each word.
  Value record_at_word(const Value& sample, const Scalar& word, std::size_t words, AtWord of);
  /// Returns a symbolic record with the alternatives of both branches of a condition.
  Value either_record(const Scalar& condition, const Value& then, const Value& otherwise, const Value& sample);
  /// Returns the value of one curve.
  Scalar on_curve(const Curve& curve, std::span<const Scalar> at);
  /// Returns the number at a symbolic position.
  Scalar number_at(const std::vector<Scalar>& numbers, const Scalar& position);

  const Evaluator::Mode mode_;
  Tape* const tape_;
  QueryError& error_;
  Arithmetic& arithmetic_;
  std::map<const Curve*, std::shared_ptr<const Curve>> curves_;  ///< Curves as the tape stores them.
  std::deque<std::vector<const Record*>> picks_;                 ///< Alternatives of symbolic records; addresses stay valid.
  std::deque<std::vector<const Curve*>> curve_picks_;            ///< Alternatives of symbolic curves.
};

}  // namespace opledger
