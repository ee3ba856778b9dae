#pragma once
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/function_ref.h"
#include "formulas/elements.h"
#include "formulas/memo.h"
#include "formulas/program.h"

/// One walk over linked formulas for three purposes: numbers (a result), symbols (a tape is recorded), units (every branch of every formula, once, when
/// documents are loaded). Names are pure: evaluated when needed, once per point.
namespace opledger {

struct Candidates;

class Evaluator {
 public:
  enum class Mode { numbers, units };

  Evaluator(const Program& program, Diagnostics& diagnostics, Mode mode = Mode::numbers, Tape* tape = nullptr);

  Value evaluate(const Name& name, const Point& point = nowhere());
  Value evaluate(const Formula& formula, const Point& point = nowhere());
  /// A part of a function's body, with these arguments.
  Value evaluate(const Formula& formula, const Point& point, const std::vector<Value>& locals);
  /// A function's value for these arguments; messages point to `asked_at`.
  Value call(const Function& function, const std::vector<Value>& arguments, const Point& point, const Span& asked_at);
  const Program& program() const { return program_; }
  Diagnostics& diagnostics() { return diagnostics_; }
  Tape* tape() { return tape_; }

  /// Something could not be evaluated; the reason was reported. Further results mean nothing until `recover`.
  bool failed() const { return failed_; }
  void recover() { failed_ = excused_ = false; }

  /// What can't be evaluated because this input has no value fails without a message: `excused` tells such a failure from others.
  void excuse(const Name* absent) { absent_ = absent; }
  bool excused() const { return excused_; }

  /// Between these two, failures are not reported: `failed` still tells them.
  void hush() { ++quiet_; }
  void speak() { --quiet_; }

  /// Inputs that become inputs of the tape.
  void make_symbolic(const Name& input) { symbolic_[&input] = std::nullopt; }
  /// The same with another value for the sample than the documents give: a number in base units, 0 or 1, or the position of a word.
  void make_symbolic(const Name& input, double sample) { symbolic_[&input] = sample; }

  /// Those that are, and have values of their own.
  std::vector<const Name*> symbols() const;
  /// What is known of all candidates that the tape is meant for; null: nothing.
  void expect(Candidates* candidates) { candidates_ = candidates; }
  Candidates* candidates() { return candidates_; }
  /// Another evaluator, of numbers and without the engine's sets, for a candidate that has these values where this one's inputs are symbols; where they
  /// are not among these it has the sample's.
  std::unique_ptr<Evaluator> for_candidate(const std::vector<std::pair<const Name*, double>>& values, Diagnostics& diagnostics) const;
  /// Of such an evaluator: the inputs among them that were needed so far.
  const std::vector<const Name*>& read() const { return read_; }

  /// An input whose value others decide.
  void derive(const Name& input, const Formula& formula) { derived_[&input] = &formula; }

  void set_elements(SetId set, Elements elements);
  const Elements& elements(SetId set) const { return elements_[static_cast<std::size_t>(set)]; }
  void set_nodes(NodeValues values, NodeFormulas formulas);
  const NodeFormulas& node_formulas() const { return nodes_; }

  /// Chooses an element (or a word), and with it the words that it belongs to.
  Point choose(const Point& point, SetId set, WordId word) const;
  Point choose(Point point, const std::vector<std::pair<SetId, WordId>>& words) const;
  /// The words or elements of a set that agree with what the point has chosen.
  std::vector<WordId> visit(SetId set, const Point& point);
  /// Whether there is such an element: a symbol where that differs among candidates.
  Scalar there(SetId set, WordId element) const;

  /// The definition that gives a name's value at a point, and its formula there: for explanations. Null: none.
  struct Chosen {
    const Def* def = nullptr;
    const Formula* formula = nullptr;
    bool absent = false;
  };
  Chosen chosen(const Name& name, const Point& point);
  Chosen chosen(const Function& function, const std::vector<Value>& arguments, const Point& point);

  /// The current word of a set: chosen by the point, computed by the name that binds the set, or its default.
  std::optional<WordId> current(SetId set, const Point& point);  ///< kAnyWord when checking; empty if nothing chooses one.

 private:
  /// Where a formula stands: in which of a chain of definitions, newest first; in a function's, with which arguments.
  struct Frame {
    const std::vector<const Def*>* chain = nullptr;
    std::size_t index = 0;
    const std::vector<Value>* locals = nullptr;
  };
  using Key = Memo::Key;

  Value fail(const Span& span, std::string message);
  Key key_of(std::uint32_t of, const std::vector<SetId>& sets, const Point& point);
  void measure(SetId set);
  const std::vector<const Def*>& chain_of(const Name& name, const Point& point);
  const std::vector<const Def*>& chain_at(const Name& name, std::size_t element, FunctionRef<void(std::vector<const Def*>&)> add_own);
  std::optional<Scalar> symbolic_word(SetId set, const Point& point);
  Value choice(const Scalar& word, std::size_t words, FunctionRef<Value(WordId)> of, const Span& span);
  Value pick_record(const Value& sample, const Scalar& word, std::size_t words, FunctionRef<Value(WordId)> of);
  Scalar on_curve(const Curve& curve, const Scalar& x);
  Value pick(const Value& list, const Scalar& position, const Formula& f);
  Value picked_field(const Value& v, const std::string& name, const Formula& f);
  Scalar picked(const std::vector<Scalar>& numbers, const Scalar& position);
  Value stored(const Value& field) { return field.input == nullptr ? field : evaluate(*field.input); }
  Value sampled(const Name& name, double sample) const;
  bool spend(std::size_t steps, const Formula& f);
  Value every_word(const Name& name, const Point& point);
  Chosen chosen_of(const std::vector<const Def*>& chain, const std::vector<Value>* locals, const Point& point);
  static void add_definitions(const Name& name, const Operator& op, std::vector<const Def*>& chain);
  Value by_chain(const Frame& frame, const Point& point, const Span& asked_at);
  Value by_case(const Frame& frame, const Point& point, const Span& asked_at);
  Value input(const Name& name, const Point& point);
  Value chosen_document(const Name& name, Value document);
  Value check_input(const Name& name, Value value, const Span& span);
  Value unit_of_type(const Type& type);
  Value keep_list(Record items);
  Value unit_of_fields(Value::Kind kind, const std::vector<std::pair<std::string, const Type*>>& fields);

  Value walk(const Formula& f, const Point& point, const Frame& frame);
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
  Value node_value(const Formula& f, const Point& point);
  const std::vector<Value>* column_of(SetId set, const Formula& f);
  Value element_field(const Formula& f, const Point& point);
  bool settle(const Value& truth, bool& holds, const Span& span);
  Value finish(Scalar scalar, Dimension unit, const Formula& f);

  const Program& program_;
  Diagnostics& diagnostics_;
  Mode mode_;
  Tape* tape_;
  bool failed_ = false;
  bool excused_ = false;
  std::size_t quiet_ = 0;  ///< Failures are expected and not reported.
  const Name* absent_ = nullptr;
  std::size_t depth_ = 0, steps_ = 0;
  Memo memo_;                                                 ///< Of names by their id, of node values by kNodeValue and their field.
  std::vector<std::vector<std::vector<const Def*>>> chains_;  ///< By Name::id and node or word.
  std::vector<std::pair<const Name*, Key>> busy_;
  std::map<const Name*, std::optional<double>> symbolic_;
  std::map<const Name*, const Formula*> derived_;
  Candidates* candidates_ = nullptr;
  std::vector<const Name*> read_;
  std::vector<std::unique_ptr<Record>> samples_;  ///< Lists that formulas make; structured inputs while checking units.
  Curve sample_curve_;
  std::map<const Curve*, std::shared_ptr<const Curve>> curves_;  ///< As the tape holds them.
  std::deque<std::vector<const Record*>> picks_;
  std::deque<std::vector<const Curve*>> curve_picks_;
  std::vector<Elements> elements_;
  std::vector<unsigned> widths_;                                      ///< Bits that the words of each set take in a key.
  std::vector<std::vector<const std::vector<Value>*>> columns_;       ///< By set and Formula::slot of a field.
  std::vector<std::vector<std::pair<SetId, const WordId*>>> joined_;  ///< `belongs` of each set's elements.
  NodeValues node_values_;
  NodeFormulas nodes_;
  std::map<std::pair<const Formula*, std::array<std::uint64_t, 4>>, std::vector<std::pair<WordId, Value>>> prefixes_;
};

/// Hushes an evaluator for a while, if there is reason to.
class Quiet {
 public:
  Quiet(Evaluator& evaluator, bool meant) : evaluator_(meant ? &evaluator : nullptr) {
    if (evaluator_ != nullptr) evaluator_->hush();
  }
  ~Quiet() {
    if (evaluator_ != nullptr) evaluator_->speak();
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  Evaluator* evaluator_;
};

}  // namespace opledger
