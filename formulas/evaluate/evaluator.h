#pragma once
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "formulas/answer.h"
#include "formulas/elements.h"
#include "formulas/program.h"

/// Evaluates names and formulas of a program at points. One interpreter serves three purposes. Numbers are results of a
/// run, symbols are recorded on a tape, and units are checked once when documents are loaded. Names are pure functions
/// of the point: evaluated on demand, and cached.
///
/// A tape (expr/tape.h) records the computation of one sample candidate of a search, with the inputs that vary as
/// symbols. The recording then gives the numbers of other candidates. The caller first declares symbolic, derived and
/// provided inputs, then fills the engine's sets (`set_elements`, `set_nodes`), then asks. Formulas without elements
/// can be asked before.
namespace opledger {

class Interpreter;
struct Candidates;

/// The public interface of an Interpreter, which it owns.
class Evaluator {
 public:
  enum class Mode {
    numbers,  ///< values of a run, or symbols on a tape
    units,    ///< kinds and units without values; every word and both branches of every condition are visited
  };

  /// Evaluates `program`, which must outlive the evaluator. `tape` records symbolic inputs; null: all inputs are
  /// numbers.
  explicit Evaluator(const Program& program, Mode mode = Mode::numbers, Tape* tape = nullptr);
  ~Evaluator();
  Evaluator(Evaluator&&) noexcept;

  // Queries. Errors are part of the answer.
  /// Evaluates a name or a formula at a point, by default at the point without current words.
  Answer ask(const Name& name, const Point& point = nowhere());
  Answer ask(const Formula& formula, const Point& point = nowhere());
  /// Evaluates a part of a function's body with these arguments; null for formulas outside functions.
  Answer ask(const Formula& formula, const Point& point, const std::vector<Value>* locals);
  /// Evaluates a function for these arguments, one for each parameter, at the point without current words.
  Answer ask(const Function& function, const std::vector<Value>& arguments);
  /// Returns the value of an input without the replacements of case words.
  Answer base_value(const Name& input);
  /// Evaluates a published metric at its words.
  Answer ask(const Published& metric) { return ask(*metric.metric, choose(nowhere(), metric.at)); }
  /// Frees the memory of cached values of single elements, such as nodes; queries compute them again. Must not be called
  /// during a query. Without effect after `begin`, and for programs with cases.
  void release_memory();
  const Program& program() const;
  Tape* tape() const;  ///< Returns the tape, or null.
  /// Returns a storage for formulas that callers link over the program. They live as long as the evaluator.
  Formulas& queries();

  /// Returns the number of evaluation steps of the last outermost formula, such as a definition of the requested name. Above
  /// kMaxEvaluationSteps its evaluation fails. A cached value takes no steps.
  std::size_t steps() const;

  /// Returns whether the formula, or a definition that it refers to, names an input that is an average (`mean`). Its value
  /// then need not be whole.
  bool reads_mean(const Formula& formula) const;

  /// Starts the recording of another candidate on the tape, with these values of the tape's inputs. Elements, functions of
  /// nodes and provided inputs must be set again. Cached values whose dependencies are unchanged are reused. The first call
  /// must precede the first query.
  void begin(std::span<const double> inputs);
  /// Returns whether `begin` was called: symbols then have one meaning for all candidates.
  bool recording() const;

  // Symbolic inputs. Without a tape they have the numbers of their samples.
  /// Makes an input an input of the tape, with the value of its document as the sample.
  void make_symbolic(const Name& input);
  /// Makes an input symbolic with another sample: a number in base units, 0 or 1, or the position of a word.
  void make_symbolic(const Name& input, double sample);
  /// Returns the symbolic inputs that are not derived from others, by name.
  std::vector<const Name*> symbols() const;
  /// Computes an input by a formula over other inputs, at the point without current words, instead of its document.
  void derive(const Name& input, const Formula& formula);
  /// Computes an input by `value`, which may evaluate further queries, when the input is first read.
  void provide(const Name& input, std::function<Answer(Evaluator&)> value);
  /// Returns whether `provide` was called for the input.
  bool provides(const Name& input) const;
  /// Sets or returns facts about all candidates of the tape, which the engine uses (Candidates, accounting/layouts.h);
  /// not owned, null by default.
  void set_candidates(Candidates* candidates) { candidates_ = candidates; }
  Candidates* candidates() { return candidates_; }
  /// Returns an evaluator of numbers for one candidate, without elements of the engine's sets. `values` are the
  /// candidate's symbolic inputs; other symbolic inputs keep their samples.
  Evaluator for_candidate(const std::vector<std::pair<const Name*, double>>& values) const { return separate(values, nullptr); }
  /// Returns an evaluator like `for_candidate` that records on another tape, with `values` as samples; null: no tape.
  /// Symbolic and derived inputs are copied; provided inputs and the filler of cases are not.
  Evaluator separate(const std::vector<std::pair<const Name*, double>>& values, Tape* tape) const;
  /// Returns the symbolic inputs that an evaluator without a tape has read so far.
  const std::vector<const Name*>& read() const;

  // Cases: words that change settings of the run (formulas/cases.h). A run at other words has an evaluator of its own.
  /// A function that fills the sets of a run at other case words; its answer is an error, or has a value that is
  /// ignored.
  using Filler = std::function<Answer(Evaluator& there)>;
  /// Sets the filler. Each run at other case words calls it on the first query that needs the run's sets, unless the run
  /// unites other runs.
  void fill_cases(Filler fill);
  /// Returns the evaluator for the case words that a point chooses, and the point translated to it. Returns nothing if
  /// the run there lacks an element of the point or cannot be filled.
  std::optional<std::pair<Evaluator*, Point>> at(const Point& point);
  /// Returns the case words of this evaluator, except default words without documents of their own.
  std::vector<std::pair<SetId, WordId>> cases() const;
  /// Returns the counted model, as a position in Program::models.
  std::size_t model() const;

  // Elements of the engine's sets.
  /// Fills a set with elements, replacing earlier ones; after `begin`, merges them with the elements of earlier candidates.
  /// Sets to which they belong must be filled before.
  void set_elements(SetId set, Elements elements);
  /// Returns the elements of a set; `known` is false before the set is filled.
  const Elements& elements(SetId set) const;
  /// Sets the function that computes values of nodes, and the own definitions of nodes.
  void set_nodes(NodeValues values, NodeFormulas formulas);

  /// Returns the number of the element at a position of the last `set_elements`. After `begin`, elements keep the
  /// numbers of the first candidate that had them; otherwise the number is the position.
  WordId element_at(SetId set, WordId place) const;
  /// Returns the point with an element or word chosen, together with the words that it belongs to.
  Point choose(const Point& point, SetId set, WordId word) const;
  Point choose(Point point, const std::vector<std::pair<SetId, WordId>>& words) const;
  /// Returns the words or elements of a set that agree with the point, except elements that are never present. Returns
  /// none after an error.
  std::vector<WordId> visit(SetId set, const Point& point);
  /// Returns whether an element is present: a symbol if candidates differ.
  Scalar presence(SetId set, WordId element) const;

  /// The definition that determines a value at a point, and its formula, for explanations. `def` is null if no
  /// definition applies.
  struct Chosen {
    const Def* def = nullptr;
    const Formula* formula = nullptr;
    bool absent = false;  ///< The formula is a `when` that does not hold.
  };
  /// Returns the definition of a name at a point, or of a function for these arguments; empty after an error.
  Chosen chosen(const Name& name, const Point& point);
  Chosen chosen(const Function& function, const std::vector<Value>& arguments, const Point& point);
  /// Returns the sets that a name depends on in the graph of this run.
  const Variance& variance(const Name& name) const;

 private:
  friend class CaseRun;

  std::unique_ptr<Interpreter> interpreter_;
  Candidates* candidates_ = nullptr;
};

}  // namespace opledger
