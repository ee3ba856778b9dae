#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "questions/explain/explain.h"
#include "questions/explain/openings.h"

/// Opens one name at one point, then what its formula is made of.
namespace opledger {

ExplainedValue explained(const Value& value);

class Explainer {
 public:
  /// Definitions go to `out`. What can't be told is left out, with errors.
  /// With `openings`, each name below another is opened once, at its place there.
  Explainer(Run& run, const ExplainOptions& options, Explanations& out, Diagnostics& diagnostics, Openings* openings = nullptr)
      : run_(run), evaluator_(&run.evaluator()), options_(options), out_(out), diagnostics_(diagnostics), openings_(openings) {}

  std::optional<Explanation> name(const Name& name, const Point& point, int depth);
  /// The same, or its place where it is opened.
  std::optional<Explanation> name_or_place(const Name& name, const Point& point, int depth);
  /// All that have a place and are not opened yet, one level each, to Explanations::names; the list grows meanwhile.
  void open_all();
  /// The position in Explanations::definitions of what counts for a name at a point; -1: none.
  int definition(const Name& name, const Point& point) { return define(name.name, evaluator_->chosen(name, point)); }

 private:
  class Locals;
  class Elsewhere;

  int define(const std::string& name, const Evaluator::Chosen& chosen);
  int define_played(const Name& name);
  static std::string in_own_unit(const Name& name, const Value& value);
  std::vector<WordId> words_at(const Name& name, const Point& point) const;
  std::string word(SetId set, WordId word) const;
  std::string documents_of(SetId cases, WordId word) const;
  void add_point(const Name& name, const Point& point, Explanation& out) const;
  Answer value_of(const Formula& f, const Point& point);
  std::string put_in(const Formula& f, const Point& point);
  void collect(const Formula& f, const Point& point, std::map<const Expr*, std::string>& out);
  void open(const Formula& f, const Point& point, int depth, std::set<std::string>& said, std::vector<Explanation>& out);
  void open_name(const Name& name, const Point& point, int depth, std::set<std::string>& said, std::vector<Explanation>& out);
  void call(const Formula& f, const Point& point, int depth, std::set<std::string>& said, std::vector<Explanation>& out);
  void terms(const Formula& f, const Point& point, int depth, std::vector<Explanation>& out);
  static Value rest_of(const std::vector<std::pair<WordId, Value>>& all, std::size_t from);

  Run& run_;
  Evaluator* evaluator_;  ///< Of the run, or of what it is at other words of cases.
  const ExplainOptions& options_;
  Explanations& out_;
  Diagnostics& diagnostics_;
  Openings* openings_;
  std::map<const Name*, int> played_;  ///< Definitions of what follows from the played step.
  const std::vector<Value>* locals_ = nullptr;
  std::map<std::pair<const Def*, const Formula*>, int> defined_;
};

}  // namespace opledger
