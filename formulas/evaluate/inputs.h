#pragma once
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formulas/evaluate/evaluator.h"
#include "formulas/evaluate/sample_values.h"

/// Values of inputs: from documents, derived from others, provided by callers, from a tape, or samples of their types.
namespace opledger {

class Interpreter;

/// The inputs of one run. Evaluator documents the functions of equal name.
class Inputs {
 public:
  /// `run` evaluates formulas and must outlive the object.
  explicit Inputs(Interpreter& run);

  void make_symbolic(const Name& input, std::optional<double> sample) { symbolic_[&input] = sample; }
  void derive(const Name& input, const Formula& formula) { derived_[&input] = &formula; }
  void provide(const Name& input, Evaluator& from, std::function<Answer(Evaluator&)> value) { provided_[&input] = {&from, std::move(value)}; }
  bool provides(const Name& input) const { return provided_.contains(&input); }
  std::vector<const Name*> symbols() const;
  const std::vector<const Name*>& read() const { return read_; }
  /// Copies symbolic and derived inputs of another run.
  void take(const Inputs& other);

  /// Returns the value of an input from its first source. Formulas, and values of documents, are checked against the
  /// type.
  Value value(const Name& name, const Point& point);
  /// Returns the value of an input without replacements of case words.
  Value base_value(const Name& name);
  /// Returns whether an input may have another value than its document has.
  bool is_replaced(const Name& name) const { return is_common(name) || provides(name); }
  /// Clears the state of the previous candidate.
  void begin_candidate();

 private:
  /// Returns whether the input has one value at all case words: a symbol, or derived from other inputs.
  bool is_common(const Name& name) const { return symbolic_.contains(&name) || derived_.contains(&name); }
  /// Selects the document of a name with alternatives; `document` is the value to complete.
  Value chosen_document(const Name& name, Value document);
  /// Returns the value in the unit of its input, or fails if it has the wrong type or is out of bounds.
  Value check(const Name& name, Value value, const Span& span);

  Interpreter& run_;
  SampleValues samples_;
  std::map<const Name*, std::optional<double>> symbolic_;                                     ///< Symbolic inputs, with samples; nothing: the document's value.
  std::map<const Name*, const Formula*> derived_;                                             ///< Inputs computed by formulas.
  std::map<const Name*, std::pair<Evaluator*, std::function<Answer(Evaluator&)>>> provided_;  ///< Inputs computed by callers.
  std::vector<const Name*> read_;                                                             ///< Symbolic inputs read without a tape.
  std::unordered_map<const Name*, Value> base_values_;  ///< Values of inputs that case words replace, without the replacement.
};

}  // namespace opledger
