#pragma once
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/function_ref.h"
#include "formulas/evaluate/evaluator.h"
#include "formulas/evaluate/membership_index.h"
#include "formulas/evaluate/memo.h"
#include "formulas/evaluate/versioned_elements.h"

/// The tree-walking interpreter behind Evaluator, internal to this folder. Its sources are divided by subject:
/// - interpreter.cc: all forms of formulas; names.cc: names and their definitions
/// - arithmetic.cc: operators and built-in functions; aggregate.cc: sums over sets
/// - inputs.cc: values of inputs; symbols.cc: choices that a tape leaves open
/// - incremental.cc: reuse between candidates; cases_interpreter.cc: runs at other case words; means.cc: averages
///
/// After an error, every function returns `nothing` until the query ends; the error is in the answer.
namespace opledger {

class Interpreter : private TapeListener {
 public:
  using Mode = Evaluator::Mode;
  using Chosen = Evaluator::Chosen;

  Interpreter(const Program& program, Mode mode, Tape* tape);

  /// Runs a query and returns its answer. Queries may nest: computing a value of a node starts queries of its own.
  Answer answer(FunctionRef<Value()> query);

  Value evaluate(const Name& name, const Point& point = nowhere());
  Value evaluate(const Formula& formula, const Point& point = nowhere(), const std::vector<Value>* locals = nullptr);
  Value call(const Function& function, const std::vector<Value>& arguments, const Point& point, const Span& call_span);
  Chosen chosen(const Name& name, const Point& point);
  Chosen chosen(const Function& function, const std::vector<Value>& arguments, const Point& point);
  std::vector<WordId> visit(SetId set, const Point& point);
  /// Returns the current word of a set: chosen by the point, computed by the name that binds the set, or its default.
  /// The word is kAnyWord in units mode.
  std::optional<WordId> current(SetId set, const Point& point);
  Point choose(const Point& point, SetId set, WordId word) const;
  Scalar presence(SetId set, WordId element) const;
  void set_elements(SetId set, Elements elements);
  void set_nodes(NodeValues values, NodeFormulas formulas);
  void begin(std::span<const double> inputs);
  WordId element_at(SetId set, WordId place) const;
  std::vector<const Name*> symbols() const;
  bool reads_mean(const Formula& formula) const;

 private:
  friend class Evaluator;
  friend class CombinedRun;
  /// Evaluators of runs at other case words, by these words. Only the root interpreter has them.
  struct OtherRuns {
    Evaluator::Filler fill;
    std::map<std::vector<WordId>, std::unique_ptr<Evaluator>> runs;
  };
  /// Context of a formula: its definition in a chain of definitions, newest first, and the arguments of its function.
  struct Frame {
    const std::vector<const Def*>* chain = nullptr;
    std::size_t index = 0;
    const std::vector<Value>* locals = nullptr;
  };
  using Key = Memo::Key;
  /// A running sum's formula, and the packed words that its value depends on.
  using PrefixKey = std::pair<const Formula*, decltype(Key::words)>;
  struct Prefixes {
    std::vector<Value> locals;
    std::vector<std::pair<WordId, Value>> sums;
    std::vector<Memo::Dependency> dependencies;
  };

  /// Records the first error of the query and returns `nothing`.
  Value fail(const Span& span, std::string message);
  Value failed(const Answer& why);
  /// Returns the sets that a name or function depends on, including definitions of this run's nodes.
  template <class NameOrFunction>
  const Variance& variance(const NameOrFunction& of) const {
    if (nodes_.widened.empty()) return of.variance;
    const auto found = nodes_.widened.find(&of);
    return found == nodes_.widened.end() ? of.variance : found->second;
  }
  /// Packed keys: each set's word takes `widths_` bits.
  bool each_place(const std::vector<SetId>& sets, FunctionRef<void(SetId set, std::size_t part, unsigned shift)> visit) const;
  Key key_of(std::uint32_t of, const std::vector<SetId>& sets, const Point& point);
  void measure(SetId set);
  /// Definitions that apply to a name at a point, newest first.
  const std::vector<const Def*>& chain_of(const Name& name, const Point& point);
  const std::vector<const Def*>& chain_at(const Name& name, std::size_t element, FunctionRef<void(std::vector<const Def*>&)> add_own);
  /// Symbolic choices: all alternatives are evaluated and joined on the tape where possible.
  std::optional<Scalar> symbolic_word(SetId set, const Point& point);
  Value choice(const Scalar& word, std::size_t words, FunctionRef<Value(WordId)> of, const Span& span);
  Value pick_record(const Value& sample, const Scalar& word, std::size_t words, FunctionRef<Value(WordId)> of);
  Value either_record(const Scalar& condition, const Value& then, const Value& otherwise, const Value& sample);
  Scalar on_curve(const Curve& curve, std::span<const Scalar> at);
  Value pick(const Value& list, const Scalar& position, const Formula& f);
  Value picked_field(const Value& v, const std::string& name, const Formula& f);
  Scalar picked(const std::vector<Scalar>& numbers, const Scalar& position);
  Value field_value(const Value& field);
  bool has_override(const Name& field) const;
  /// Counts evaluation steps. Returns false, with an error, above kMaxEvaluationSteps.
  bool spend(std::size_t steps, const Formula& f);
  Value every_word(const Name& name, const Point& point);
  /// Computes a value without the cache.
  Value compute(const Name& name, const Point& point);
  std::optional<Answer> compute(const Formula& node_value, WordId node, WordId extent);
  Chosen chosen_of(const std::vector<const Def*>& chain, const std::vector<Value>* locals, const Point& point);
  static void add_definitions(const Name& name, const Operator& op, std::vector<const Def*>& chain);
  /// Evaluates the definition of a chain that applies, or the case of one definition.
  Value by_chain(const Frame& frame, const Point& point, const Span& call_span);
  Value by_case(const Frame& frame, const Point& point, const Span& call_span);
  Value base_value(const Name& name);
  /// Returns the value of an input, checked against its type.
  Value input(const Name& name, const Point& point);
  Value chosen_document(const Name& name, Value document);
  Value check_input(const Name& name, Value value, const Span& span);
  /// Returns a sample value of a type for units mode.
  Value unit_of_type(const Type& type);
  Value keep_list(Record items);
  Value unit_of_fields(Value::Kind kind, const std::vector<std::pair<std::string, const Type*>>& fields);

  /// Evaluates a formula; `by_kind` dispatches to the functions below.
  Value interpret(const Formula& f, const Point& point, const Frame& frame);
  Value by_kind(const Formula& f, const Point& point, const Frame& frame);
  Value inherited(const Formula& f, const Point& point, const Frame& frame);
  Value list(const Formula& f, const Point& point, const Frame& frame);
  Value contained(const Formula& f, const Point& point, const Frame& frame);
  Value operation(const Formula& f, const Point& point, const Frame& frame);
  Value arithmetic(Op op, const Value& a, const Value& b, const Formula& f);
  Value compare(Op op, const Value& a, const Value& b, const Formula& f);
  Value compare_symbols(Op op, const Value& a, const Value& b);
  Value logic(const Formula& f, const Point& point, const Frame& frame);
  Value condition(const Formula& f, const Point& point, const Frame& frame);
  Value branch(const Value& condition, FunctionRef<Value()> then, FunctionRef<Value()> otherwise, const Span& span);
  /// Evaluates an alternative that may fail. Returns nothing after a failure and clears the error.
  std::optional<Value> attempt(FunctionRef<Value()> alternative);
  /// Returns the common type of two alternatives, or an error.
  Value unify(const Value& a, const Value& b, const Span& span);
  Value set_word(const Formula& f, const Point& point);
  Value field(const Formula& f, const Point& point, const Frame& frame);
  Value divides(const Value& x, const Formula& list, const Point& point, const Frame& frame);
  Value index(const Formula& f, const Point& point, const Frame& frame);
  Value range(const std::vector<Value>& args, const Formula& f);
  Value builtin(const Formula& f, const Point& point, const Frame& frame);
  Value curve(const Formula& f, const Point& point, const Frame& frame);
  Value function(const Formula& f, const Point& point, const Frame& frame);
  Value aggregate(const Formula& f, const Point& point, const Frame& frame);
  bool is_known(const Formula& f);
  Value empty_aggregate(const Formula& f);
  Value of_any(const Formula& f, Value all, const Scalar& count);
  Value add_term(const Formula& f, const Value& sum, const Value& term);
  /// Returns whether an element counts in an aggregate; nothing after an error.
  std::optional<Scalar> counts(const Formula& f, const Point& p, const Frame& frame);
  Value running(const Formula& f, const Point& point, const Frame& frame);
  const Prefixes* prefixes(const PrefixKey& key, const Point& around, const Frame& frame);
  std::vector<std::pair<WordId, Value>> running_sums(const Formula& f, const Point& around, const Frame& frame);
  Value node_value(const Formula& f, const Point& point);
  const Column* column_of(SetId set, const Formula& f);
  Value element_field(const Formula& f, const Point& point);
  /// Specializes a condition on the sample. Returns false, with an error, if the value is no truth.
  bool force(const Value& truth, bool& holds, const Span& span);
  Value finish(Scalar scalar, Dimension unit, const Formula& f);

  // Dependencies and reuse between candidates: incremental.cc.
  /// Returns whether dependencies are recorded: a cached value is in evaluation.
  bool records_dependencies() const { return incremental_ && (!busy_.empty() || prefix_depth_ > 0); }
  void folded(std::int32_t symbol, double value) override;
  void guarded(const Scalar& condition, double value) override;
  void forget();
  void update_elements(SetId set, Elements elements);
  std::vector<std::uint64_t> identities_of(SetId set, std::size_t count) const;
  void refresh(Value& value) const;
  void depend_on(const Memo::Entry& entry);
  void depend_on_transient();
  void depend_on_field(SetId set, WordId element, const Formula& field);
  void depend_on_presence(SetId set, WordId element);
  bool has_element(const Memo::Dependency& dependency) const;
  void complete(Memo::Entry& entry, const Value& value, std::size_t dependencies_from);
  bool revalidate(Memo::Entry& entry);
  bool revalidate(Memo::Entry& entry, const Point& point);
  bool is_valid(const Memo::Entry& entry);
  bool is_valid(const Memo::Dependency& dependency);
  bool revalidate_visited(Memo::Entry& entry, const Point& point);
  bool must_recompute(const Memo::Entry& entry) const;
  Point point_of(const Key& key, const std::vector<SetId>& sets) const;
  /// Returns the sets that the elements of `set` belong to. The next call overwrites the list.
  const std::vector<SetId>& owners(SetId set);
  const std::vector<WordId>& visited(SetId set, const Point& point);

  // Runs at other case words: cases_interpreter.cc.
  void select_case_values();
  bool changes_case(const Point& point) const;
  Value in_other_case(const Point& point, FunctionRef<Value(Interpreter& there, const Point& point)> ask);
  Interpreter& at(const Point& point);
  Interpreter& at(const std::vector<WordId>& words);
  std::optional<Point> translate(Interpreter& from, const Point& point);
  WordId owner(SetId set, const Point& point) const;
  WordId same_element(Interpreter& from, SetId set, WordId element);
  std::vector<std::string> element_keys(SetId set) const;
  std::vector<Value> translate(Interpreter& from, const std::vector<Value>& locals);
  Value translate(Interpreter& from, Value value);
  bool fill();
  void combine();
  Value agreed_value(const std::vector<Answer>& answers, const std::string& subject, const Span& at);
  Value combined_value(const Name& name, const Point& point);

  const Program& program_;
  const Mode mode_;
  Tape* const tape_;
  Formulas queries_;
  bool failed_ = false;
  bool absent_ = false;  ///< The error is only a missing document.
  std::shared_ptr<const Diagnostic> error_;
  std::size_t depth_ = 0, steps_ = 0;
  std::unordered_map<std::string, Value> calls_;              ///< Results of function calls in units mode.
  Memo memo_;                                                 ///< Cache of names by id, and of node values by kNodeValue and field.
  std::vector<std::vector<std::vector<const Def*>>> chains_;  ///< Definition chains by Name::id, then by node or word.
  std::vector<std::pair<const Name*, Key>> busy_;
  std::map<const Name*, std::optional<double>> symbolic_;
  std::map<const Name*, const Formula*> derived_;
  std::map<const Name*, std::pair<Evaluator*, std::function<Answer(Evaluator&)>>> provided_;
  std::vector<const Name*> read_;
  std::vector<std::unique_ptr<Record>> records_;  ///< Lists created by formulas, and records in units mode.
  Curve sample_curve_;
  std::array<Curve, Curve::kMaxCoordinates> sample_points_;      ///< Sample curves by number of coordinates minus one.
  std::map<const Curve*, std::shared_ptr<const Curve>> curves_;  ///< Curves as the tape stores them.
  std::deque<std::vector<const Record*>> picks_;
  std::deque<std::vector<const Curve*>> curve_picks_;
  IdVector<SetId, Elements> elements_;
  IdVector<SetId, unsigned> widths_;                     ///< Bits of each set's words in a packed key.
  IdVector<SetId, std::vector<const Column*>> columns_;  ///< Columns by Formula::slot of the field.
  IdVector<SetId, MembershipIndex> members_;             ///< Index of each set's elements.
  NodeValues node_values_;
  NodeFormulas nodes_;
  std::map<PrefixKey, std::vector<Prefixes>> prefixes_;

  bool incremental_ = false;    ///< Several candidates are recorded one after another.
  std::uint32_t revision_ = 0;  ///< Number of the current candidate, from 1.
  IdVector<SetId, VersionedElements> versioned_;
  IdVector<SetId, std::vector<const VersionedElements::Versions*>> versions_;  ///< Versions of fields by slot.
  std::vector<SetId> owners_;                                                  ///< Last result of `owners`.
  std::vector<Memo::Dependency> dependencies_;                                 ///< Dependencies of the values in evaluation, innermost last.
  int prefix_depth_ = 0;                                                       ///< Number of running sums in evaluation.

  bool has_cases_ = false;
  std::vector<WordId> words_;                                 ///< Current word of each set of cases.
  std::size_t model_ = 0;                                     ///< Counted model, as a position in Program::models.
  std::unordered_map<const Name*, const Name*> case_values_;  ///< Replacements of names at the current case words.
  std::unordered_map<const Name*, Value> base_values_;        ///< Values of replaced names without the replacement.
  Interpreter* root_ = nullptr;                               ///< Interpreter of the unchanged run; null in that run.
  Evaluator* evaluator_ = nullptr;                            ///< Evaluator of this interpreter; null in a root without cases.
  std::unique_ptr<OtherRuns> other_runs_;                     ///< Other runs; null except in the root.
  enum class Filled : std::uint8_t { no, busy, yes } filled_ = Filled::no;
  Answer fill_error_;                        ///< Error of `fill`, if any.
  std::vector<Interpreter*> combined_runs_;  ///< Interpreters of the runs that a combined run consists of.
  struct SameElements {
    std::vector<WordId> here;  ///< Element here for each element of the other run.
    std::size_t own = 0;       ///< Number of elements here.
  };
  std::map<std::pair<const Interpreter*, SetId>, SameElements> same_elements_;
};

}  // namespace opledger
