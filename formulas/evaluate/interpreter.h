#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/function_ref.h"
#include "formulas/evaluate/aggregation.h"
#include "formulas/evaluate/arithmetic.h"
#include "formulas/evaluate/case_run.h"
#include "formulas/evaluate/choices.h"
#include "formulas/evaluate/definitions.h"
#include "formulas/evaluate/element_tables.h"
#include "formulas/evaluate/evaluator.h"
#include "formulas/evaluate/frame.h"
#include "formulas/evaluate/inputs.h"
#include "formulas/evaluate/query_cache.h"
#include "formulas/evaluate/query_error.h"

/// The tree-walking interpreter behind Evaluator, internal to this folder. Sources: interpreter.cc has queries, elements
/// and candidates, names.cc names and their definitions, forms.cc all forms of formulas. The last members are the parts
/// that do the rest; Aggregation, Inputs and CaseRun call back into the interpreter.
///
/// After an error, nothing more is evaluated until the query ends, and returned values have no meaning. The error is in
/// the answer.
///
/// Terms: numbers mode computes a run, units mode checks kinds and units without values. With a tape, a value may be a
/// symbol, whose number differs between the candidates of a search. A guard restricts the recording to candidates with
/// the value of the recorded one, the sample.
namespace opledger {

/// Evaluates formulas by recursion over their trees. Evaluator documents the functions of equal name.
class Interpreter : private QueryCache::Source {
 public:
  using Mode = Evaluator::Mode;
  using Chosen = Evaluator::Chosen;

  Interpreter(const Program& program, Mode mode, Tape* tape);

  /// Runs a query and returns its answer. Queries may nest: computing a value of a node starts queries of its own.
  Answer answer(FunctionRef<Value()> query);

  /// Returns the cached value of a name, or computes it.
  Value evaluate(const Name& name, const Point& point = nowhere());
  /// Evaluates a formula; every part of a formula is evaluated through this function, too.
  Value interpret(const Formula& f, const Point& point, const Frame& frame);
  /// Evaluates a function; `call_span` is the position of the call for messages.
  Value call(const Function& function, const std::vector<Value>& arguments, const Point& point, const Span& call_span);
  Chosen chosen(const Name& name, const Point& point);
  /// Returns the definition of a chain that gives the value; `locals` has the arguments of a function, else null.
  Chosen chosen(const DefinitionChain& chain, const std::vector<Value>* locals, const Point& point);
  /// Returns the words or elements of a set over which an aggregate at the point runs.
  std::vector<WordId> visit(SetId set, const Point& point);
  /// Returns the current word of a set: chosen by the point, this run's case word, computed by the name that binds the
  /// set, or its default. Returns nothing if no word is current, or after an error. In units mode a name that binds the
  /// set gives kAnyWord.
  std::optional<WordId> current(SetId set, const Point& point);

  // Elements and candidates.
  void set_elements(SetId set, Elements elements);
  void set_nodes(NodeValues values, NodeFormulas formulas);
  void begin(std::span<const double> inputs);
  /// Prepares this run for the candidate with the number `revision`, see `begin`.
  void begin_candidate(std::uint32_t revision);

 private:
  friend class Evaluator;
  // The parts of the interpreter refer to each other through it.
  friend class Aggregation;
  friend class CaseRun;
  friend class CombinedRun;
  friend class Inputs;

  // What the cache asks for.
  Value compute(const Name& name, const Point& point) override;
  std::optional<Answer> compute(const Formula& node_value, WordId node, WordId extent) override;
  const std::vector<SetId>& sets_of(const Name& name) const override { return definitions_.variance(name).key; }
  bool fill() override { return case_.fill(); }
  /// Clears the caches of values, running sums and definition chains.
  void forget();

  // Limits.
  std::size_t depth() const { return depth_ + cache_.depth(); }
  /// Counts evaluation steps. Returns false, with an error, above kMaxEvaluationSteps.
  bool spend(std::size_t steps, const Formula& f);

  // Names and definitions: names.cc.
  /// Returns the definitions that apply to a name at a point, newest first.
  const DefinitionChain& chain_of(const Name& name, const Point& point);
  /// Evaluates a chain from the frame's definition on. `by_chain` checks `when` and the declared unit, and calls `by_case`,
  /// which evaluates the formula for the current word.
  Value by_chain(const Frame& frame, const Point& point, const Span& call_span);
  Value by_case(const Frame& frame, const Point& point, const Span& call_span);
  /// Returns the common unit of all words of a set, in units mode; `of` gives the value at a word.
  Value every_word(SetId set, FunctionRef<Value(WordId)> of, const Span& span);
  /// Returns the symbol of a set's current word; nothing if the word is a constant, or if the point has chosen one.
  std::optional<Scalar> symbolic_word(SetId set, const Point& point);
  /// Returns the value of a record's field: as stored, or of the field's own input if that may differ.
  Value field_value(const Value& field);

  // Forms of formulas (forms.cc): the formula, the point, and the context. `by_kind` dispatches by Formula::kind.
  Value by_kind(const Formula& f, const Point& point, const Frame& frame);
  Value inherited(const Formula& f, const Point& point, const Frame& frame);
  Value list(const Formula& f, const Point& point, const Frame& frame);
  Value contained(const Formula& f, const Point& point, const Frame& frame);
  Value among(const Value& a, const Formula& f, const Point& point, const Frame& frame);
  Value operation(const Formula& f, const Point& point, const Frame& frame);
  Value logic(const Formula& f, const Point& point, const Frame& frame);
  Value condition(const Formula& f, const Point& point, const Frame& frame);
  Value set_word(const Formula& f, const Point& point);
  Value field(const Formula& f, const Point& point, const Frame& frame);
  /// Returns a field of the current element.
  Value element_field(const Formula& f, const Point& point);
  Value index(const Formula& f, const Point& point, const Frame& frame);
  Value builtin(const Formula& f, const Point& point, const Frame& frame);
  Value curve(const Formula& f, const Point& point, const Frame& frame);
  Value function(const Formula& f, const Point& point, const Frame& frame);
  Value node_value(const Formula& f, const Point& point);

  const Program& program_;
  const Mode mode_;
  Tape* const tape_;                              ///< Tape that records symbols; null: numbers only.
  Formulas queries_;                              ///< Storage for formulas that callers link.
  QueryError error_;                              ///< Error of the current query.
  std::size_t depth_ = 0, steps_ = 0;             ///< Nesting of formulas, and steps since the outermost formula began.
  std::unordered_map<std::string, Value> calls_;  ///< Results of function calls in units mode.

  Arithmetic arithmetic_;    ///< Operators and built-in functions.
  Choices choices_;          ///< Choices that the tape leaves open.
  ElementTables tables_;     ///< Elements of the sets.
  Definitions definitions_;  ///< Definitions by node and word.
  QueryCache cache_;         ///< Values of names and nodes.
  CaseRun case_;             ///< Case words, and runs at other ones.
  Inputs inputs_;            ///< Values of inputs.
  Aggregation aggregation_;  ///< Aggregates and running sums.
};

}  // namespace opledger
