#include "questions/explain/explain.h"

#include <fmt/core.h>

#include <algorithm>

#include "accounting/graph_engine.h"
#include "base/text.h"
#include "base/units.h"
#include "expr/parser.h"
#include "formulas/link/published.h"
#include "questions/explain/explainer.h"

namespace opledger {
namespace {

/// Returns the position of `text` among the words of a set. A set has fixed words, or elements that depend on the run,
/// such as stages. A stage is a class of equal stages; any position from the first to the last of the class also names
/// it. If nothing matches, returns kNoWord, with an error that suggests a word or lists the words if there are at most
/// 20.
WordId named(Run& run, SetId id, const std::string& text, Diagnostics& diagnostics) {
  const Set& set = run.program().set(id);
  const std::vector<std::string>& names = set.elements ? run.evaluator().elements(id).names : set.words;
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<WordId>(found - names.begin());
  double number = 0;
  Dimension unit;
  if (id == kStageSet && parse_quantity(text, number, unit) && unit.plain()) {
    const auto& fields = run.evaluator().elements(id).fields;
    for (std::size_t c = 0; c < names.size(); ++c) {
      if (fields.at("position")[c].scalar.value <= number && number <= fields.at("last")[c].scalar.value) return static_cast<WordId>(c);
    }
  }
  const std::string meant = suggestion(text, names);
  diagnostics.error({}, fmt::format("`--at {}={}`: there is no such {}{}", set.name, text, set.name,
                                    !meant.empty() || names.empty() || names.size() > 20 ? meant : ", but " + join(names, ", ")));
  return kNoWord;
}

/// Adds the words of `--at SET=WORD` to a point. Returns false, with an error, for an unknown set or word.
bool apply_words(Run& run, const ExplainOptions& options, Point& point, Diagnostics& diagnostics) {
  for (const auto& [name, text] : options.at) {
    const SetId set = run.program().find_set(name, {}, diagnostics);
    if (!set) {
      diagnostics.error({}, fmt::format("`--at {}={}`: there is no set `{}`{}", name, text, name, suggestion(name, names_of(run.program().sets))));
      return false;
    }
    const WordId word = named(run, set, text, diagnostics);
    if (word == kNoWord) return false;
    point = run.evaluator().choose(point, set, word);
  }
  return true;
}

/// Returns `point` at the stage where the name has its largest value, which is the value that reports show. A sum over
/// stages would mislead, because an element of the set stands for several equal stages. The point stays unchanged if:
/// - the run has no graph, the point already has a stage, or the name is a metric, an input, or equal for all stages;
/// - the value of a stage can't be computed;
/// - the only stage has the same value as the point without a stage.
/// The cost is one evaluation for each class of equal stages.
Point at_largest_stage(Run& run, const Name& name, const Point& point) {
  Evaluator& evaluator = run.evaluator();
  if (!run.has_graph() || name.metric || name.input || (evaluator.variance(name).varies & bit(kStageSet)) == 0 || point[kStageSet] != kNoWord) return point;
  Point largest = point;
  double most = 0;
  for (const WordId stage : evaluator.visit(kStageSet, point)) {
    const Point at_stage = evaluator.choose(point, kStageSet, stage);
    const Answer answer = evaluator.ask(name, at_stage);
    if (!answer.known()) return point;
    const Value& v = answer.value;
    const double value = v.is_number() || v.kind == Value::Kind::truth ? v.scalar.value : 0;
    if (largest[kStageSet] != kNoWord && value <= most) continue;
    largest = at_stage;
    most = value;
  }
  const Value without_stage = evaluator.ask(name, point).value;
  const bool same = evaluator.visit(kStageSet, point).size() == 1 && without_stage.is_number() && without_stage.scalar.value == most;
  return same ? point : largest;
}

/// A name, and the words that its label selects.
struct LabeledName {
  const Name* name = nullptr;
  std::vector<std::pair<SetId, WordId>> at;
};

/// Finds a metric with this name, else a global name, else a metric by its label in a report, else a name by the title of
/// its column in a table; a null name if nothing matches.
LabeledName find_explained(const Program& program, const std::string& name) {
  const Published* published = program.find_published(name);
  const Name* found = published == nullptr ? program.find(name) : nullptr;
  if (found != nullptr) return {found, {}};
  if (published == nullptr) published = find_labeled(program, name);
  if (published != nullptr) return {published->metric, published->at};
  for (const Table& table : program.tables) {
    for (const TableColumn& column : table.columns) {
      if (column.name != nullptr && same_label(column.title, name)) return {column.name, column.at};
    }
  }
  return {};
}

}  // namespace

bool is_explainable(const Run& run, const std::string& name) { return find_explained(run.program(), name).name != nullptr; }

/// Finds the name, chooses a point, and explains the value there. A point has a current word for each set on which
/// values depend. The words come from the name's label, then from `options.at`, then from the stage with the largest
/// value. A set that the value needs and that has no word yet is an error, because only one value can be explained.
/// Explainer::name expands the formula to `options.depth` levels.
std::optional<Explanations> explain_name(Run& run, const std::string& name, const ExplainOptions& options, Diagnostics& diagnostics) {
  const auto [found, at] = find_explained(run.program(), name);
  if (found == nullptr) {
    std::vector<std::string> known = names_of(run.program().global->names);
    std::sort(known.begin(), known.end());
    diagnostics.error({}, fmt::format("unknown name `{}`{}", name, suggestion(name, known)));
    return std::nullopt;
  }
  Point point = run.evaluator().choose(nowhere(), at);
  if (!apply_words(run, options, point, diagnostics)) return std::nullopt;
  point = at_largest_stage(run, *found, point);
  for (const SetId s : run.program().sets.ids()) {
    if ((run.evaluator().variance(*found).needs & bit(s)) == 0 || point[s] != kNoWord) continue;
    const std::string& set = run.program().sets[s]->name;
    diagnostics.error(
        {}, fmt::format("`{}` varies with {}: say which with `--at {}=…`, ask for a node, or for a metric that is made of it", found->name, set, set));
    return std::nullopt;
  }
  Explanations out;
  std::optional<Explanation> opened = Explainer(run, options, out, diagnostics).name(*found, point, options.depth);
  if (!opened) return std::nullopt;
  out.names.push_back(std::move(*opened));
  return out;
}

}  // namespace opledger
