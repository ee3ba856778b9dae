#pragma once
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "formulas/answer.h"
#include "formulas/elements.h"
#include "formulas/program.h"

/// Who answers questions about a program: what a name or a formula is worth at a point. One walk over linked formulas for three purposes: numbers (a result), symbols (a
/// tape is recorded), units (every branch of every formula, once, when documents are loaded). Names are pure: evaluated when needed, once per point.
namespace opledger {

class Walk;
struct Candidates;

class Evaluator {
 public:
  enum class Mode { numbers, units };

  explicit Evaluator(const Program& program, Mode mode = Mode::numbers, Tape* tape = nullptr);
  ~Evaluator();
  Evaluator(Evaluator&&) noexcept;

  Answer ask(const Name& name, const Point& point = nowhere());
  Answer ask(const Formula& formula, const Point& point = nowhere());
  /// A part of a function's body, with these arguments; null: of no function's.
  Answer ask(const Formula& formula, const Point& point, const std::vector<Value>* locals);
  /// A function's value for these arguments.
  Answer ask(const Function& function, const std::vector<Value>& arguments);
  /// What is given for an input, whatever the words of cases say.
  Answer given(const Name& input);
  Answer ask(const Published& metric) { return ask(*metric.metric, choose(nowhere(), metric.at)); }
  const Program& program() const;
  Tape* tape() const;
  /// Formulas of whoever asks, linked over the program: kept for as long as they may be asked again.
  Formulas& questions();

  /// That the last question took: kMaxEvaluationSteps at most.
  std::size_t steps() const;

  /// Whether the formula follows from an input that is an average.
  bool reads_mean(const Formula& formula) const;

  /// One more candidate is recorded on the tape, of which these are the inputs, if it has any: elements are filled in anew, and what was evaluated for those
  /// before is taken over where it would come to the same. Said before anything is asked of the first. Not where programs have cases.
  void begin(std::span<const double> inputs);
  /// Whether it was ever said: symbols then mean the same for all of them.
  bool recording() const;

  /// Inputs that become inputs of the tape.
  void make_symbolic(const Name& input);
  /// The same with another value for the sample than the documents give: a number in base units, 0 or 1, or the position of a word.
  void make_symbolic(const Name& input, double sample);
  /// Those that are, and have values of their own.
  std::vector<const Name*> symbols() const;
  /// An input whose value others decide.
  void derive(const Name& input, const Formula& formula);
  /// An input whose value is worked out, by further questions, when it is first asked for.
  void provide(const Name& input, std::function<Answer(Evaluator&)> value);
  bool provides(const Name& input) const;
  /// What is known of all candidates that the tape is meant for; null: nothing.
  void expect(Candidates* candidates) { candidates_ = candidates; }
  Candidates* candidates() { return candidates_; }
  /// Another evaluator, of numbers and without the engine's sets, for a candidate that has these values where this one's inputs are symbols; where they
  /// are not among these it has the sample's.
  Evaluator for_candidate(const std::vector<std::pair<const Name*, double>>& values) const { return apart(values, nullptr); }
  /// The same where they are samples of inputs that are recorded on another tape; null: as there.
  Evaluator apart(const std::vector<std::pair<const Name*, double>>& values, Tape* tape) const;
  /// Of such an evaluator: the inputs among them that were needed so far.
  const std::vector<const Name*>& read() const;

  /// Fills the sets of the run at other words of the program's cases, when something there is first asked for.
  using Filler = std::function<Answer(Evaluator& there)>;
  void fill_cases(Filler fill);
  /// The run at the words of cases that a point chooses, and the point as it is there; nothing where the element at the point is not there.
  std::optional<std::pair<Evaluator*, Point>> at(const Point& point);
  /// The words of cases at which it is, but for those at which every run is by itself, with its own documents.
  std::vector<std::pair<SetId, WordId>> cases() const;
  /// The model that is counted there, of Program::models.
  std::size_t model() const;

  void set_elements(SetId set, Elements elements);
  const Elements& elements(SetId set) const;
  void set_nodes(NodeValues values, NodeFormulas formulas);

  /// An element, by its place among those that were set last: of several candidates elements keep the numbers that they had first.
  WordId element_at(SetId set, WordId place) const;
  /// Chooses an element (or a word), and with it the words that it belongs to.
  Point choose(const Point& point, SetId set, WordId word) const;
  Point choose(Point point, const std::vector<std::pair<SetId, WordId>>& words) const;
  /// The words or elements of a set that agree with what the point has chosen, but for those that are never there; none where that can't be told.
  std::vector<WordId> visit(SetId set, const Point& point);
  /// Whether there is such an element: a symbol where that differs among candidates.
  Scalar there(SetId set, WordId element) const;

  /// The definition that gives a value at a point, and its formula there: for explanations. Null: none.
  struct Chosen {
    const Def* def = nullptr;
    const Formula* formula = nullptr;
    bool absent = false;  ///< The formula is a condition that does not hold.
  };
  Chosen chosen(const Name& name, const Point& point);
  Chosen chosen(const Function& function, const std::vector<Value>& arguments, const Point& point);
  /// With what a name's value varies, in this run's graph.
  const Variance& variance(const Name& name) const;

 private:
  friend class Walk;

  std::unique_ptr<Walk> walk_;
  Candidates* candidates_ = nullptr;
};

}  // namespace opledger
