#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "questions/explain/expansion_table.h"
#include "questions/explain/explain.h"

/// Explains one name at one point, a current word for each set; then the names in its formula.
namespace opledger {

/// Returns a value with its text for people, such as `45.6 GiB`.
ExplainedValue explained(const Value& value);

/// Builds explanations by interpreting linked formulas a second time, with the evaluator's memoized values. Only taken
/// branches of conditions are explained.
class Explainer {
 public:
  /// Appends definitions to `out`. Values that can't be computed are omitted, with errors. With an `expansions` table,
  /// each name below another name becomes one entry of the table instead of a subtree.
  Explainer(Run& run, const ExplainOptions& options, Explanations& out, Diagnostics& diagnostics, ExpansionTable* expansions = nullptr)
      : run_(run), evaluator_(&run.evaluator()), options_(options), out_(out), diagnostics_(diagnostics), expansions_(expansions) {}

  /// Explains a name at a point down to `depth`. Empty, with an error, if it can't be computed.
  std::optional<Explanation> name(const Name& name, const Point& point, int depth);
  /// Explains a name, or with an expansion table returns a reference to its entry. If the table is full, returns the
  /// name's value and formula without children.
  std::optional<Explanation> name_or_place(const Name& name, const Point& point, int depth);
  /// Expands all pending entries of the table by one level each into Explanations::names. Expansion may add entries.
  void open_all();
  /// Returns the index in Explanations::definitions of the definition that applies at a point; -1 without one.
  int definition(const Name& name, const Point& point) { return define(name.name, evaluator_->chosen(name, point)); }

 private:
  class LocalsScope;
  class EvaluatorScope;

  /// Returns the index of the definition `chosen`, which is added to `out_` at its first use; -1 without one.
  int define(const std::string& name, const Evaluator::Chosen& chosen);
  /// Returns the index of a definition that describes the simulated step; -1 if nothing describes the step.
  int define_played(const Name& name);
  /// Returns an input's value in its declared unit, if the value is shown in another one; else an empty text.
  static std::string in_own_unit(const Name& name, const Value& value);
  /// Returns the current word of each set with which the value varies.
  std::vector<WordId> words_at(const Name& name, const Point& point) const;
  /// Returns the name of a word or element of a set.
  std::string word(SetId set, WordId word) const;
  /// Returns the documents that a word of cases uses, such as ` (NAME)`; empty without documents.
  std::string documents_of(SetId cases, WordId word) const;
  /// Sets `point` and `where` of an explanation.
  void add_point(const Name& name, const Point& point, Explanation& out) const;
  /// Evaluates a formula with the current locals, and reports its error.
  Answer value_of(const Formula& f, const Point& point);
  /// Returns the formula's text with values inserted; empty if the text does not change.
  std::string substituted(const Formula& f, const Point& point);
  /// Collects the texts of values that `substituted` inserts, by expression.
  void collect(const Formula& f, const Point& point, std::map<const Expr*, std::string>& out);
  /// Adds explanations of the names, calls and aggregates in a formula to `out`, except listed ones (`visited`).
  void open(const Formula& f, const Point& point, int depth, std::set<std::string>& visited, std::vector<Explanation>& out);
  /// Adds the explanation of a name, unless it is listed.
  void open_name(const Name& name, const Point& point, int depth, std::set<std::string>& visited, std::vector<Explanation>& out);
  /// Adds the explanation of a function call, unless it is listed or at the last level.
  void call(const Formula& f, const Point& point, int depth, std::set<std::string>& visited, std::vector<Explanation>& out);
  /// Adds the explanation of an aggregate with its largest terms.
  void terms(const Formula& f, const Point& point, int depth, std::vector<Explanation>& out);
  /// Returns the sum of the values from an index on.
  static Value rest_of(const std::vector<std::pair<WordId, Value>>& all, std::size_t from);

  Run& run_;
  Evaluator* evaluator_;  ///< Evaluator of the run, or of the run at other words of cases.
  const ExplainOptions& options_;
  Explanations& out_;
  Diagnostics& diagnostics_;
  ExpansionTable* expansions_;
  std::map<const Name*, int> played_;  ///< Definitions of values from the simulated step.
  const std::vector<Value>* locals_ = nullptr;
  std::map<std::pair<const Def*, const Formula*>, int> defined_;  ///< Index of each definition added so far.
};

}  // namespace opledger
