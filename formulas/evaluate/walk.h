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
#include "formulas/evaluate/belongings.h"
#include "formulas/evaluate/evaluator.h"
#include "formulas/evaluate/memo.h"
#include "formulas/evaluate/roster.h"

/// How formulas are evaluated: walk.cc knows every form of the language, names.cc names and their definitions, arithmetic.cc operators, aggregate.cc sums over
/// sets, inputs.cc what is given, symbols.cc what a tape leaves open, candidates.cc what one candidate takes over from those before, cases_walk.cc other words
/// of cases, means.cc averages. Not for others: they ask an Evaluator.
///
/// After a failure everything comes to nothing, up to whoever asked.
namespace opledger {

class Walk : private TapeListener {
 public:
  using Mode = Evaluator::Mode;
  using Chosen = Evaluator::Chosen;

  Walk(const Program& program, Mode mode, Tape* tape);

  /// What a question comes to. It may be asked while another one is answered: the values of a node are.
  Answer answer(FunctionRef<Value()> question);

  Value evaluate(const Name& name, const Point& point = nowhere());
  Value evaluate(const Formula& formula, const Point& point = nowhere(), const std::vector<Value>* locals = nullptr);
  Value call(const Function& function, const std::vector<Value>& arguments, const Point& point, const Span& asked_at);
  Chosen chosen(const Name& name, const Point& point);
  Chosen chosen(const Function& function, const std::vector<Value>& arguments, const Point& point);
  std::vector<WordId> visit(SetId set, const Point& point);
  std::optional<WordId> current(SetId set, const Point& point);  ///< Chosen, computed by the name that binds the set, or its default; kAnyWord when checking.
  Point choose(const Point& point, SetId set, WordId word) const;
  Scalar there(SetId set, WordId element) const;
  void set_elements(SetId set, Elements elements);
  void set_nodes(NodeValues values, NodeFormulas formulas);
  void begin(std::span<const double> inputs);
  WordId element_at(SetId set, WordId place) const;
  std::vector<const Name*> symbols() const;
  bool reads_mean(const Formula& formula) const;

 private:
  friend class Evaluator;
  friend class Union;
  /// Runs at other words of cases, by these: of the walk that all others were asked for through.
  struct Elsewhere {
    Evaluator::Filler fill;
    std::map<std::vector<WordId>, std::unique_ptr<Evaluator>> runs;
  };
  /// Where a formula stands: in which of a chain of definitions, newest first; in a function's, with which arguments.
  struct Frame {
    const std::vector<const Def*>* chain = nullptr;
    std::size_t index = 0;
    const std::vector<Value>* locals = nullptr;
  };
  using Key = Memo::Key;
  /// A running sum's formula, and the words that it varies with.
  using PrefixKey = std::pair<const Formula*, decltype(Key::words)>;
  struct Prefixes {
    std::vector<Value> locals;
    std::vector<std::pair<WordId, Value>> sums;
    std::vector<Memo::Use> uses;
  };

  Value fail(const Span& span, std::string message);
  Value failed(const Answer& why);
  /// With what a name or function varies, here where nodes have definitions of their own.
  template <class NameOrFunction>
  const Variance& variance(const NameOrFunction& of) const {
    if (nodes_.widened.empty()) return of.variance;
    const auto found = nodes_.widened.find(&of);
    return found == nodes_.widened.end() ? of.variance : found->second;
  }
  bool each_place(const std::vector<SetId>& sets, FunctionRef<void(SetId set, std::size_t part, unsigned shift)> visit) const;
  Key key_of(std::uint32_t of, const std::vector<SetId>& sets, const Point& point);
  void measure(SetId set);
  const std::vector<const Def*>& chain_of(const Name& name, const Point& point);
  const std::vector<const Def*>& chain_at(const Name& name, std::size_t element, FunctionRef<void(std::vector<const Def*>&)> add_own);
  std::optional<Scalar> symbolic_word(SetId set, const Point& point);
  Value choice(const Scalar& word, std::size_t words, FunctionRef<Value(WordId)> of, const Span& span);
  Value pick_record(const Value& sample, const Scalar& word, std::size_t words, FunctionRef<Value(WordId)> of);
  Value either_record(const Scalar& condition, const Value& then, const Value& otherwise, const Value& sample);
  Scalar on_curve(const Curve& curve, std::span<const Scalar> at);
  Value pick(const Value& list, const Scalar& position, const Formula& f);
  Value picked_field(const Value& v, const std::string& name, const Formula& f);
  Scalar picked(const std::vector<Scalar>& numbers, const Scalar& position);
  Value stored(const Value& field);
  bool is_apart(const Name& field) const;
  bool spend(std::size_t steps, const Formula& f);
  Value every_word(const Name& name, const Point& point);
  Value worked_out(const Name& name, const Point& point);
  std::optional<Answer> worked_out(const Formula& node_value, WordId node, WordId extent);
  Chosen chosen_of(const std::vector<const Def*>& chain, const std::vector<Value>* locals, const Point& point);
  static void add_definitions(const Name& name, const Operator& op, std::vector<const Def*>& chain);
  Value by_chain(const Frame& frame, const Point& point, const Span& asked_at);
  Value by_case(const Frame& frame, const Point& point, const Span& asked_at);
  Value given(const Name& name);
  Value input(const Name& name, const Point& point);
  Value chosen_document(const Name& name, Value document);
  Value check_input(const Name& name, Value value, const Span& span);
  Value unit_of_type(const Type& type);
  Value keep_list(Record items);
  Value unit_of_fields(Value::Kind kind, const std::vector<std::pair<std::string, const Type*>>& fields);

  Value walk(const Formula& f, const Point& point, const Frame& frame);
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
  std::optional<Value> attempt(FunctionRef<Value()> side);
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
  std::optional<Scalar> counts(const Formula& f, const Point& p, const Frame& frame);
  Value running(const Formula& f, const Point& point, const Frame& frame);
  const Prefixes* prefixes(const PrefixKey& key, const Point& around, const Frame& frame);
  std::vector<std::pair<WordId, Value>> running_sums(const Formula& f, const Point& around, const Frame& frame);
  Value node_value(const Formula& f, const Point& point);
  const Column* column_of(SetId set, const Formula& f);
  Value element_field(const Formula& f, const Point& point);
  bool settle(const Value& truth, bool& holds, const Span& span);
  Value finish(Scalar scalar, Dimension unit, const Formula& f);

  // candidates.cc
  /// Whether what is used now is noted: something that is kept is being evaluated.
  bool notes() const { return lasting_ && (!busy_.empty() || noting_ > 0); }
  void folded(std::int32_t symbol, double value) override;
  void guarded(const Scalar& condition, double value) override;
  void forget();
  void take_elements(SetId set, Elements elements);
  std::vector<std::uint64_t> told_apart(SetId set, std::size_t count) const;
  void refresh(Value& value) const;
  void note(const Memo::Entry& entry);
  void note_passing();
  void note_field(SetId set, WordId element, const Formula& field);
  void note_there(SetId set, WordId element);
  bool is_here(const Memo::Use& use) const;
  void conclude(Memo::Entry& entry, const Value& value, std::size_t uses_from);
  bool renew(Memo::Entry& entry);
  bool renew(Memo::Entry& entry, const Point& point);
  bool holds(const Memo::Entry& entry);
  bool holds(const Memo::Use& use);
  bool renew_visited(Memo::Entry& entry, const Point& point);
  bool is_asked_anew(const Memo::Entry& entry) const;
  Point point_of(const Key& key, const std::vector<SetId>& sets) const;
  /// Returns the sets of words to which the elements of `set` belong. The next call overwrites the list.
  const std::vector<SetId>& owners(SetId set);
  const std::vector<WordId>& visited(SetId set, const Point& point);

  // cases_walk.cc
  void take_case_values();
  bool leaves(const Point& point) const;
  Value leave(const Point& point, FunctionRef<Value(Walk& there, const Point& point)> ask);
  Walk& at(const Point& point);
  Walk& at(const std::vector<WordId>& words);
  std::optional<Point> arrive(Walk& from, const Point& point);
  WordId owner(SetId set, const Point& point) const;
  WordId same_element(Walk& from, SetId set, WordId element);
  std::vector<std::string> element_keys(SetId set) const;
  std::vector<Value> arrive(Walk& from, const std::vector<Value>& locals);
  Value arrive(Walk& from, Value value);
  bool fill();
  void unite();
  Value agreed(const std::vector<Answer>& answers, const std::string& what, const Span& at);
  Value united_value(const Name& name, const Point& point);

  const Program& program_;
  const Mode mode_;
  Tape* const tape_;
  Formulas questions_;
  bool failed_ = false;
  bool absent_ = false;  ///< For want of a document.
  std::shared_ptr<const Diagnostic> error_;
  std::size_t depth_ = 0, steps_ = 0;
  std::unordered_map<std::string, Value> calls_;              ///< Of functions, while units are checked.
  Memo memo_;                                                 ///< Of names by their id, of node values by kNodeValue and their field.
  std::vector<std::vector<std::vector<const Def*>>> chains_;  ///< By Name::id and node or word.
  std::vector<std::pair<const Name*, Key>> busy_;
  std::map<const Name*, std::optional<double>> symbolic_;
  std::map<const Name*, const Formula*> derived_;
  std::map<const Name*, std::pair<Evaluator*, std::function<Answer(Evaluator&)>>> provided_;
  std::vector<const Name*> read_;
  std::vector<std::unique_ptr<Record>> samples_;  ///< Lists that formulas make; structured inputs while checking units.
  Curve sample_curve_;
  std::array<Curve, Curve::kMaxCoordinates> sample_points_;      ///< Of so many coordinates, less one.
  std::map<const Curve*, std::shared_ptr<const Curve>> curves_;  ///< As the tape holds them.
  std::deque<std::vector<const Record*>> picks_;
  std::deque<std::vector<const Curve*>> curve_picks_;
  IdVector<SetId, Elements> elements_;
  IdVector<SetId, unsigned> widths_;                     ///< Bits that the words of each set take in a key.
  IdVector<SetId, std::vector<const Column*>> columns_;  ///< By Formula::slot of a field.
  IdVector<SetId, Belongings> joined_;                   ///< Of each set's elements.
  NodeValues node_values_;
  NodeFormulas nodes_;
  std::map<PrefixKey, std::vector<Prefixes>> prefixes_;

  bool lasting_ = false;         ///< Several candidates are recorded one after the other.
  std::uint32_t candidate_ = 0;  ///< Which it is, counted from 1 then.
  IdVector<SetId, Roster> rosters_;
  IdVector<SetId, std::vector<const Roster::Versions*>> versions_;  ///< Of fields, by their slots.
  std::vector<SetId> owners_;                                       ///< The last result of `owners`.
  std::vector<Memo::Use> uses_;                                     ///< Of what is being evaluated, innermost last.
  int noting_ = 0;                                                  ///< Running sums among what is being evaluated.

  bool has_cases_ = false;
  std::vector<WordId> words_;                                 ///< Of each set of cases, where this walk is.
  std::size_t model_ = 0;                                     ///< That is counted here, of Program::models.
  std::unordered_map<const Name*, const Name*> case_values_;  ///< What stands in for a name here.
  std::unordered_map<const Name*, Value> given_;              ///< Of names for which something else stands in here.
  Walk* home_ = nullptr;                                      ///< That all others were asked for through; null: this one.
  Evaluator* self_ = nullptr;                                 ///< That this walk is of, if it is not home.
  std::unique_ptr<Elsewhere> elsewhere_;                      ///< Of home.
  enum class Filled : std::uint8_t { no, busy, yes } filled_ = Filled::no;
  Answer unfilled_;           ///< Why the sets could not be filled.
  std::vector<Walk*> parts_;  ///< Whose elements this walk has together.
  struct SameElements {
    std::vector<WordId> here;  ///< Of each element there.
    std::size_t own = 0;       ///< Elements that there are here.
  };
  std::map<std::pair<const Walk*, SetId>, SameElements> same_elements_;
};

}  // namespace opledger
