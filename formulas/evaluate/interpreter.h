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
/// After an error, nothing more is evaluated until the query ends, and returned values have no meaning. The error is in
/// the answer.
///
/// Terms: numbers mode computes a run, units mode checks kinds and units without values. With a tape, a value may be a
/// symbol, whose number differs between the candidates of a search. A guard restricts the recording to candidates with
/// the sample's value.
namespace opledger {

/// Evaluates formulas by recursion over their trees. Evaluator documents the functions of equal name.
class Interpreter : private TapeListener {
 public:
  using Mode = Evaluator::Mode;
  using Chosen = Evaluator::Chosen;

  Interpreter(const Program& program, Mode mode, Tape* tape);

  /// Runs a query and returns its answer. Queries may nest: computing a value of a node starts queries of its own.
  Answer answer(FunctionRef<Value()> query);

  /// Returns the cached value of a name, or computes it.
  Value evaluate(const Name& name, const Point& point = nowhere());
  /// Evaluates a formula; `locals` has the arguments if it is part of a function, else null.
  Value evaluate(const Formula& formula, const Point& point = nowhere(), const std::vector<Value>* locals = nullptr);
  /// Evaluates a function; `call_span` is the position of the call for messages.
  Value call(const Function& function, const std::vector<Value>& arguments, const Point& point, const Span& call_span);
  Chosen chosen(const Name& name, const Point& point);
  Chosen chosen(const Function& function, const std::vector<Value>& arguments, const Point& point);
  /// Returns the words or elements of a set over which an aggregate at the point runs.
  std::vector<WordId> visit(SetId set, const Point& point);
  /// Returns the current word of a set: chosen by the point, this run's case word, computed by the name that binds the
  /// set, or its default. Returns nothing if no word is current, or after an error. In units mode a name that binds the
  /// set gives kAnyWord.
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
    Evaluator::Filler fill;  ///< Fills the sets of a run; empty: none was set.
    std::map<std::vector<WordId>, std::unique_ptr<Evaluator>> runs;
  };
  /// Context of a formula: its definition in a chain of definitions, newest first, and the arguments of its function.
  struct Frame {
    const std::vector<const Def*>* chain = nullptr;  ///< Definitions; null outside definitions.
    std::size_t index = 0;                           ///< Position of the definition; `inherited` continues after it.
    const std::vector<Value>* locals = nullptr;      ///< Arguments; null outside functions.
  };
  using Key = Memo::Key;
  /// A running sum's formula, and the packed words that its value depends on.
  using PrefixKey = std::pair<const Formula*, decltype(Key::words)>;
  /// Prefix sums of a running sum over one group of elements.
  struct Prefixes {
    std::vector<Value> locals;                   ///< Arguments of the enclosing function.
    std::vector<std::pair<WordId, Value>> sums;  ///< Elements in order, each with the sum up to it.
    std::vector<Memo::Dependency> dependencies;  ///< Everything on which the sums depend.
  };

  /// Records the first error of the query and returns `nothing`.
  Value fail(const Span& span, std::string message);
  /// Takes over the error of another query's answer and returns `nothing`.
  Value failed(const Answer& why);
  /// Returns the sets that a name or function depends on, including definitions of this run's nodes.
  template <class NameOrFunction>
  const Variance& variance(const NameOrFunction& of) const {
    if (nodes_.widened.empty()) return of.variance;
    const auto found = nodes_.widened.find(&of);
    return found == nodes_.widened.end() ? of.variance : found->second;
  }

  // Packed keys of the cache: each set's word takes `widths_` bits.
  /// Calls `visit` with the 64-bit part and the shift of each set's word. Returns false if the words do not fit.
  bool each_place(const std::vector<SetId>& sets, FunctionRef<void(SetId set, std::size_t part, unsigned shift)> visit) const;
  /// Returns the key of the entry `of` (see Memo::Key) for the point's words of `sets`.
  Key key_of(std::uint32_t of, const std::vector<SetId>& sets, const Point& point);
  /// Computes `widths_` of a set.
  void measure(SetId set);

  // Chains: the definitions that apply to a name at a point, newest first.
  const std::vector<const Def*>& chain_of(const Name& name, const Point& point);
  /// Returns the cached chain of a name at an element or word. `add_own` appends the definitions of this element or word,
  /// which precede the general ones.
  const std::vector<const Def*>& chain_at(const Name& name, std::size_t element, FunctionRef<void(std::vector<const Def*>&)> add_own);

  // Symbolic choices: all alternatives are evaluated and joined on the tape where possible, else a guard is recorded.
  /// Returns the symbol of a set's current word; nothing if the word is a constant, or if the point has chosen one.
  std::optional<Scalar> symbolic_word(SetId set, const Point& point);
  /// Returns the value at a symbolic word: `of` gives the value at each of the set's words, `words` is their number.
  Value choice(const Scalar& word, std::size_t words, FunctionRef<Value(WordId)> of, const Span& span);
  /// Returns a symbolic record with an alternative for each word.
  Value pick_record(const Value& sample, const Scalar& word, std::size_t words, FunctionRef<Value(WordId)> of);
  /// Returns a symbolic record with the alternatives of both branches of a condition.
  Value either_record(const Scalar& condition, const Value& then, const Value& otherwise, const Value& sample);
  /// Returns the value of a curve at numbers or symbols.
  Scalar on_curve(const Curve& curve, std::span<const Scalar> at);
  /// Returns the item of a list at a symbolic position.
  Value pick(const Value& list, const Scalar& position, const Formula& f);
  /// Returns a field of a symbolic record.
  Value picked_field(const Value& v, const std::string& name, const Formula& f);
  /// Returns the one of `numbers` that a symbolic position selects.
  Scalar picked(const std::vector<Scalar>& numbers, const Scalar& position);

  // Values of names.
  /// Returns the value of a record's field: as stored, or of the field's own input if that may differ.
  Value field_value(const Value& field);
  /// Returns whether the input of a document's field may have another value than the document.
  bool has_override(const Name& field) const;
  /// Counts evaluation steps. Returns false, with an error, above kMaxEvaluationSteps.
  bool spend(std::size_t steps, const Formula& f);
  /// Returns the common unit of a quantity over all operators of its family, in units mode.
  Value every_word(const Name& name, const Point& point);
  Point restricted(const Point& point, const Variance& variance) const;
  /// Computes the value of a name without the cache.
  Value compute(const Name& name, const Point& point);
  /// Computes a value of a node without the cache. `extent` selects the value on one rank or in total. Returns nothing if
  /// the node has no such value.
  std::optional<Answer> compute(const Formula& node_value, WordId node, WordId extent);
  /// Returns the definition of a chain that gives the value.
  Chosen chosen_of(const std::vector<const Def*>& chain, const std::vector<Value>* locals, const Point& point);
  /// Appends the definitions of a name for an operator and the operators that it extends.
  static void add_definitions(const Name& name, const Operator& op, std::vector<const Def*>& chain);
  /// Evaluate a chain from the frame's definition on. `by_chain` checks `when` and the declared unit, and calls `by_case`,
  /// which evaluates the formula for the current word.
  Value by_chain(const Frame& frame, const Point& point, const Span& call_span);
  Value by_case(const Frame& frame, const Point& point, const Span& call_span);
  /// Returns the value of a name without replacements of case words.
  Value base_value(const Name& name);
  /// Returns the value of an input from its first source (see inputs.cc). Formulas, and values of documents, are checked
  /// against the type.
  Value input(const Name& name, const Point& point);
  /// Selects the document of a name with alternatives; `document` is the value to complete.
  Value chosen_document(const Name& name, Value document);
  /// Returns the value in the unit of its input, or fails if it has the wrong type or is out of bounds.
  Value check_input(const Name& name, Value value, const Span& span);
  /// Returns a sample value of a type for units mode.
  Value unit_of_type(const Type& type);
  /// Returns a list that the interpreter stores for its life.
  Value keep_list(Record items);
  /// Returns a sample record or list for units mode.
  Value unit_of_fields(Value::Kind kind, const std::vector<std::pair<std::string, const Type*>>& fields);

  // Forms of formulas. Parameters: the formula, the point, and the context.
  /// Evaluates a formula; `by_kind` dispatches to the functions below by Formula::kind.
  Value interpret(const Formula& f, const Point& point, const Frame& frame);
  Value by_kind(const Formula& f, const Point& point, const Frame& frame);
  Value inherited(const Formula& f, const Point& point, const Frame& frame);
  Value list(const Formula& f, const Point& point, const Frame& frame);
  Value contained(const Formula& f, const Point& point, const Frame& frame);
  Value operation(const Formula& f, const Point& point, const Frame& frame);
  /// Applies an operator to values; `f` is the formula for messages.
  Value arithmetic(Op op, const Value& a, const Value& b, const Formula& f);
  Value compare(Op op, const Value& a, const Value& b, const Formula& f);
  Value compare_symbols(Op op, const Value& a, const Value& b);
  Value logic(const Formula& f, const Point& point, const Frame& frame);
  Value condition(const Formula& f, const Point& point, const Frame& frame);
  /// Evaluates one branch of a constant condition, or joins both branches of a symbolic one.
  Value branch(const Value& condition, FunctionRef<Value()> then, FunctionRef<Value()> otherwise, const Span& span);
  /// Evaluates an alternative that may fail. Returns nothing after a failure and clears the error.
  std::optional<Value> attempt(FunctionRef<Value()> alternative);
  /// Returns the one of two values whose kind and unit fit both, or fails.
  Value unify(const Value& a, const Value& b, const Span& span);
  Value set_word(const Formula& f, const Point& point);
  Value field(const Formula& f, const Point& point, const Frame& frame);
  /// Evaluates `x in divisors(n)`; `list` is the call of `divisors`.
  Value divides(const Value& x, const Formula& list, const Point& point, const Frame& frame);
  Value index(const Formula& f, const Point& point, const Frame& frame);
  Value range(const std::vector<Value>& args, const Formula& f);
  Value builtin(const Formula& f, const Point& point, const Frame& frame);
  Value curve(const Formula& f, const Point& point, const Frame& frame);
  Value function(const Formula& f, const Point& point, const Frame& frame);
  Value aggregate(const Formula& f, const Point& point, const Frame& frame);
  /// Returns whether the set of an aggregate is filled; fails otherwise.
  bool is_known(const Formula& f);
  /// Returns the value of an aggregate without terms.
  Value empty_aggregate(const Formula& f);
  /// Completes a max, min or mean whose number of terms may be a symbol.
  Value of_any(const Formula& f, Value all, const Scalar& count);
  /// Combines an aggregate with one more term.
  Value add_term(const Formula& f, const Value& sum, const Value& term);
  /// Returns whether an element counts in an aggregate; nothing after an error.
  std::optional<Scalar> counts(const Formula& f, const Point& p, const Frame& frame);
  Value running(const Formula& f, const Point& point, const Frame& frame);
  /// Returns the cached prefix sums of a group of elements, or computes them.
  const Prefixes* prefixes(const PrefixKey& key, const Point& around, const Frame& frame);
  /// Computes the prefix sums of the elements that agree with the point `around`.
  std::vector<std::pair<WordId, Value>> running_sums(const Formula& f, const Point& around, const Frame& frame);
  Value node_value(const Formula& f, const Point& point);
  /// Returns the column of a field, or null.
  const Column* column_of(SetId set, const Formula& f);
  /// Returns a field of the current element.
  Value element_field(const Formula& f, const Point& point);
  /// Specializes a condition on the sample. Returns false, with an error, if the value is no truth.
  bool force(const Value& truth, bool& holds, const Span& span);
  /// Returns a number with a unit. Without a tape, fails if the number is not finite.
  Value finish(Scalar scalar, Dimension unit, const Formula& f);

  // Dependencies and reuse between candidates: incremental.cc. `depend_on…` adds to the dependencies of the cached
  // value in evaluation.
  /// Returns whether dependencies are recorded: a cached value is in evaluation.
  bool records_dependencies() const { return incremental_ && (!busy_.empty() || prefix_depth_ > 0); }
  void folded(std::int32_t symbol, double value) override;
  void guarded(const Scalar& condition, double value) override;
  /// Prepares this run for the candidate with the number `revision`, see `begin`.
  void begin_candidate(std::uint32_t revision);
  /// Clears the caches of values, prefix sums and definition chains.
  void forget();
  /// Merges a candidate's elements into those of earlier candidates.
  void update_elements(SetId set, Elements elements);
  /// Returns, for each of `count` nodes, a hash of its operator and its own definitions. Nodes of equal name in two
  /// candidates are the same element only if the hashes agree. Empty for other sets.
  std::vector<std::uint64_t> identities_of(SetId set, std::size_t count) const;
  /// Updates a value of an earlier candidate to the current sample.
  void refresh(Value& value) const;
  void depend_on(const Memo::Entry& entry);
  /// Marks the value in evaluation as valid for this candidate only.
  void depend_on_transient();
  void depend_on_field(SetId set, WordId element, const Formula& field);
  void depend_on_presence(SetId set, WordId element);
  bool is_filled(SetId set);
  bool has_element(const Memo::Dependency& dependency);
  /// Stores a value and the dependencies from `dependencies_from` on in an entry.
  void complete(Memo::Entry& entry, const Value& value, std::size_t dependencies_from);
  /// Makes an entry of an earlier candidate valid for this one. Returns false if no value was found.
  bool revalidate(Memo::Entry& entry);
  bool revalidate(Memo::Entry& entry, const Point& point);
  /// Computes the elements that a `visited` entry lists at a point, and increments its version if they changed.
  void revalidate_visited(Memo::Entry& entry, const Point& point);
  /// Returns whether all dependencies of an entry, or a single dependency, are unchanged.
  bool is_valid(const Memo::Entry& entry);
  bool is_valid(const Memo::Dependency& dependency);
  /// Returns whether an entry is computed anew for every candidate, whatever its dependencies: an input or a node value.
  bool must_recompute(const Memo::Entry& entry) const;
  /// Returns the point of a packed key.
  Point point_of(const Key& key, const std::vector<SetId>& sets) const;
  /// Returns the sets that the elements of `set` belong to. The next call overwrites the list.
  const std::vector<SetId>& owners(SetId set);
  /// Returns the cached elements of a set that agree with a point.
  const std::vector<WordId>& visited(SetId set, const Point& point);

  // Runs at other case words: cases_interpreter.cc. `translate` converts from another run to this one.
  /// Fills `case_values_` and `model_` for `words_`.
  void select_case_values();
  /// Returns whether the point has another case word than this run.
  bool changes_case(const Point& point) const;
  /// Evaluates `ask` in the run of the point's case words and translates the value back.
  Value in_other_case(const Point& point, FunctionRef<Value(Interpreter& there, const Point& point)> ask);
  /// Returns the run at a point's case words, or at these words, creating it on first use.
  Interpreter& at(const Point& point);
  Interpreter& at(const std::vector<WordId>& words);
  /// Translates a point of the run `from` to this run; nothing if an element has no equal here, or after an error.
  std::optional<Point> translate(Interpreter& from, const Point& point);
  /// Returns the element of `set` that another element of the point belongs to; kNoWord: none.
  WordId owner(SetId set, const Point& point) const;
  /// Returns the element here that equals an element of another run; kNoWord: none.
  WordId same_element(Interpreter& from, SetId set, WordId element);
  /// Returns the position of an element among those of the current candidate.
  WordId place_of(SetId set, WordId element) const { return incremental_ ? versioned_[set].place(element) : element; }
  /// Returns the elements of a set, in their order; of several candidates, those of the current one.
  std::vector<WordId> elements_of(SetId set) const;
  std::size_t count_of(SetId set) const;
  /// Returns keys by which runs recognize elements, for each of `elements_of`.
  std::vector<std::string> element_keys(SetId set) const;
  std::vector<Value> translate(Interpreter& from, const std::vector<Value>& locals);
  Value translate(Interpreter& from, Value value);
  /// Fills the sets of a run at other case words on first use. Returns false after an error.
  bool fill();
  /// Fills a combined run, the run at a word that unites the elements of several words (CaseWord::together). Its sets are
  /// the unions of the elements of these words' runs.
  void combine();
  /// Returns the common value of all answers; fails if they differ. `subject` names the value in messages.
  Value agreed_value(const std::vector<Answer>& answers, const std::string& subject, const Span& at);
  /// Returns the common value of a name in all combined runs.
  Value combined_value(const Name& name, const Point& point);

  const Program& program_;
  const Mode mode_;
  Tape* const tape_;     ///< Tape that records symbols; null: numbers only.
  Formulas queries_;     ///< Storage for formulas that callers link.
  bool failed_ = false;  ///< The current query has an error, `error_`.
  bool absent_ = false;  ///< The error is only a missing document.
  std::shared_ptr<const Diagnostic> error_;
  std::size_t depth_ = 0, steps_ = 0;             ///< Nesting of formulas, and steps since the outermost formula began.
  std::unordered_map<std::string, Value> calls_;  ///< Results of function calls in units mode.
  /// Limits of the cache between queries: above kMostEntries, names with more than kMostEntriesOfName entries lose them.
  static constexpr std::size_t kMostEntries = 3'000'000, kMostEntriesOfName = 1'000;
  /// Returns whether nothing refers to entries of the cache between queries: one run alone, not several candidates.
  bool can_trim() const { return !incremental_ && !has_cases_ && busy_.empty(); }
  std::size_t queries_in_progress_ = 0;                       ///< Number of nested queries.
  Memo memo_;                                                 ///< Cache of names by id, and of node values by kNodeValue and field.
  std::vector<std::vector<std::vector<const Def*>>> chains_;  ///< Definition chains by Name::id, then by node or word.
  std::vector<std::pair<const Name*, Key>> busy_;             ///< Stack of names in evaluation, to find cycles.
  std::map<const Name*, std::optional<double>> symbolic_;     ///< Symbolic inputs, with samples; nothing: the document's value.
  std::map<const Name*, const Formula*> derived_;             ///< Inputs computed by formulas.
  std::map<const Name*, std::pair<Evaluator*, std::function<Answer(Evaluator&)>>> provided_;  ///< Inputs computed by callers.
  std::vector<const Name*> read_;                                                             ///< Symbolic inputs read without a tape.
  std::vector<std::unique_ptr<Record>> records_;                                              ///< Lists created by formulas, and records in units mode.
  Curve sample_curve_;                                                                        ///< Sample step function in units mode.
  std::array<Curve, Curve::kMaxCoordinates> sample_points_;                                   ///< Sample curves by number of coordinates minus one.
  std::map<const Curve*, std::shared_ptr<const Curve>> curves_;                               ///< Curves as the tape stores them.
  std::deque<std::vector<const Record*>> picks_;                                              ///< Alternatives of symbolic records; addresses stay valid.
  std::deque<std::vector<const Curve*>> curve_picks_;                                         ///< Alternatives of symbolic curves.
  IdVector<SetId, Elements> elements_;                                                        ///< Elements of each set; several candidates: of all candidates.
  IdVector<SetId, unsigned> widths_;                                                          ///< Bits of each set's words in a packed key.
  IdVector<SetId, std::vector<const Column*>> columns_;                                       ///< Columns by Formula::slot of the field.
  IdVector<SetId, MembershipIndex> members_;                                                  ///< Index of each set's elements.
  NodeValues node_values_;                                                                    ///< Function of the engine for values of nodes.
  NodeFormulas nodes_;                                                                        ///< Operators and own definitions of nodes.
  std::map<PrefixKey, std::vector<Prefixes>> prefixes_;                                       ///< Cached running sums, one item for each list of arguments.

  bool incremental_ = false;                                                   ///< Several candidates are recorded one after another.
  std::uint32_t revision_ = 0;                                                 ///< Number of the current candidate, from 1.
  IdVector<SetId, VersionedElements> versioned_;                               ///< Numbers and versions of the elements.
  IdVector<SetId, std::vector<const VersionedElements::Versions*>> versions_;  ///< Versions of fields by slot.
  std::vector<SetId> owners_;                                                  ///< Last result of `owners`.
  std::vector<Memo::Dependency> dependencies_;                                 ///< Dependencies of the values in evaluation, innermost last.
  int prefix_depth_ = 0;                                                       ///< Number of running sums in evaluation.

  bool has_cases_ = false;
  std::vector<WordId> words_;                                               ///< Current word of each set of cases.
  std::size_t model_ = 0;                                                   ///< Model whose graph is counted in this run, as a position in Program::models.
  std::unordered_map<const Name*, const Name*> case_values_;                ///< Replacements of names at the current case words.
  std::unordered_map<const Name*, Value> base_values_;                      ///< Values of replaced names without the replacement.
  Interpreter* root_ = nullptr;                                             ///< Interpreter of the unchanged run; null in that run.
  Evaluator* evaluator_ = nullptr;                                          ///< Evaluator of this interpreter; null in a root without a filler of cases.
  std::unique_ptr<OtherRuns> other_runs_;                                   ///< Other runs; null except in the root.
  enum class Filled : std::uint8_t { no, busy, yes } filled_ = Filled::no;  ///< State of `fill`; unused in the root.
  Answer fill_error_;                                                       ///< Error of `fill`, if any.
  std::vector<Interpreter*> combined_runs_;                                 ///< Interpreters of the runs that a combined run consists of.
  /// The elements of one set here that equal those of another run; see `same_element`.
  struct SameElements {
    std::vector<WordId> here;         ///< Element here for each element of the other run; kNoWord: none.
    std::size_t own = 0, theirs = 0;  ///< Numbers of elements here and there.
  };
  std::map<std::pair<const Interpreter*, SetId>, SameElements> same_elements_;
};

}  // namespace opledger
