#pragma once
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/function_ref.h"
#include "formulas/evaluate/evaluator.h"

/// Runs at other case words. The root is the run without a chosen word; every other run has elements of its own, and an
/// interpreter that the root creates on first use. A query at other words is asked in the run of these words: its point is
/// translated, and the value is translated back. Elements of equal keys (ElementTables::identifying_keys) are the same
/// element in all runs.
namespace opledger {

class Interpreter;

/// The case words of one run, and its transitions to other runs.
class CaseRun {
 public:
  /// `run` is the interpreter that owns this object; the first word of each set is its word.
  explicit CaseRun(Interpreter& run);

  // Words of this run.
  /// Returns whether the program has case words, and the run has values.
  bool has_cases() const { return has_cases_; }
  const std::vector<WordId>& words() const { return words_; }
  /// Returns the word of a set of cases; nothing for other sets.
  std::optional<WordId> word(SetId set) const;
  /// Returns the model whose graph is counted in this run, as a position in Program::models.
  std::size_t model() const { return model_; }
  /// Returns the replacements of names at the words, and the replacement of a name or null.
  const std::unordered_map<const Name*, const Name*>& replacements() const { return replacements_; }
  const Name* replacement(const Name& name) const;
  bool replaces(const Name& name) const { return replacements_.contains(&name); }
  /// Returns the interpreter of the run without a chosen word; null in that run.
  Interpreter* root() const { return root_; }
  /// Returns whether the run is at a word that unites the elements of several words (CaseWord::together).
  bool is_combined() const { return !parts_.empty(); }
  /// Returns the common value of a name in all runs that a combined run consists of.
  Value combined_value(const Name& name, const Point& point);

  // Other runs.
  /// Sets the function that fills the sets of other runs. Only in the root, with its own evaluator.
  void set_filler(Evaluator& root, Evaluator::Filler fill);
  /// Fills the sets of a run at other case words on first use. Returns false after an error. The root's caller fills its
  /// sets, so there is nothing to do in the root.
  bool fill();
  /// Returns whether the point has another case word than this run.
  bool changes(const Point& point) const;
  /// Evaluates `ask` in the run of the point's case words and translates the value back. Returns an absent zero if that
  /// run lacks an element of the point.
  Value ask_there(const Point& point, FunctionRef<Value(Interpreter& there, const Point& point)> ask);
  /// Returns the evaluator of the run at a point's case words, and the point there. Returns nothing if the run lacks an
  /// element of the point, or is a root without a filler.
  std::optional<std::pair<Evaluator*, Point>> at(const Point& point);
  /// Returns the arguments of a function of another run as values of this run.
  std::vector<Value> translate(Interpreter& from, const std::vector<Value>& locals);
  /// Calls `visit` with the interpreters of all runs at other words; only in the root.
  void each_run(FunctionRef<void(Interpreter& run)> visit);
  /// Clears the state of the previous candidate.
  void begin_candidate();

 private:
  /// Fills `replacements_` and `model_` for `words_`.
  void select_replacements();
  /// Returns the run at a point's case words, or at these words, creating it on first use.
  Interpreter& run_at(const Point& point);
  Interpreter& run_at(const std::vector<WordId>& words);
  /// Translates a point of the run `from` to this run; nothing if an element has no equal here, or after an error.
  std::optional<Point> translate(Interpreter& from, const Point& point);
  Value translate(Interpreter& from, Value value);
  /// Returns the element here that equals an element of another run; kNoWord: none.
  WordId same_element(Interpreter& from, SetId set, WordId element);

  Interpreter& run_;
  bool has_cases_ = false;
  std::vector<WordId> words_;                                               ///< Current word of each set of cases.
  std::size_t model_ = 0;                                                   ///< Counted model, as a position in Program::models.
  std::unordered_map<const Name*, const Name*> replacements_;               ///< Replacements of names at the current case words.
  Interpreter* root_ = nullptr;                                             ///< Run without a chosen word; null in that run.
  Evaluator* evaluator_ = nullptr;                                          ///< Evaluator of this interpreter; null in a root without a filler.
  Evaluator::Filler filler_;                                                ///< Fills the sets of other runs. Only in the root.
  std::map<std::vector<WordId>, std::unique_ptr<Evaluator>> runs_;          ///< Other runs by their words. Only in the root.
  std::vector<Interpreter*> parts_;                                         ///< Runs that a combined run consists of.
  enum class Filled : std::uint8_t { no, busy, yes } filled_ = Filled::no;  ///< State of `fill`; unused in the root.
  Answer fill_error_;                                                       ///< Error of `fill`, if any.
  /// Equal elements of one set in this run and in another run; see `same_element`.
  struct SameElements {
    std::vector<WordId> here;         ///< Element here for each element of the other run; kNoWord: none.
    std::size_t own = 0, theirs = 0;  ///< Counts of elements here and there.
  };
  std::map<std::pair<const Interpreter*, SetId>, SameElements> same_elements_;
};

}  // namespace opledger
