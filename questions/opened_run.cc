#include "questions/opened_run.h"

#include <algorithm>

#include "questions/explain_nodes.h"
#include "questions/openings.h"

namespace opledger {
namespace {

constexpr int kDepth = 6;  // of functions inside functions: names end at their places
constexpr int kTerms = 4;

/// The first row for which a table's condition holds; nothing: it has none, or its condition can't be evaluated.
std::optional<Point> first_row(const Table& table, Evaluator& evaluator) {
  for (const WordId word : evaluator.visit(table.rows, nowhere())) {
    const Point point = evaluator.choose(nowhere(), table.rows, word);
    if (table.where == nullptr) return point;
    const Answer holds = evaluator.ask(*table.where, point);
    if (!holds.known()) return std::nullopt;
    if (holds.value.scalar.value != 0) return point;
  }
  return std::nullopt;
}

void add_columns(const Table& table, Evaluator& evaluator, Explainer& explainer, OpenedRun& out) {
  const std::optional<Point> row = first_row(table, evaluator);
  if (!row) return;
  for (const TableColumn& column : table.columns) {
    if (column.name == nullptr) continue;
    const Point point = evaluator.choose(*row, column.at);
    if (!evaluator.ask(*column.name, point).known()) continue;
    const int definition = explainer.definition(*column.name, point);
    if (definition >= 0) out.columns.emplace_back(table.name + "." + column.title, definition);
  }
}

}  // namespace

OpenedRun open_run(Run& run, const std::vector<std::string>& metrics, const std::vector<std::string>& tables, std::size_t most) {
  OpenedRun out;
  Openings openings(most);
  Diagnostics unheard;  // what can't be told is left out
  const ExplainOptions options{kDepth, kTerms, {}};
  Explainer explainer(run, options, out.all, unheard, &openings);
  Evaluator& evaluator = run.evaluator();
  for (const std::string& metric : metrics) {
    const Published* published = run.program().find_published(metric);
    if (published == nullptr || !evaluator.ask(*published).known()) continue;
    const std::optional<Explanation> placed = explainer.name_or_place(*published->metric, evaluator.choose(nowhere(), published->at), kDepth);
    if (placed && placed->place >= 0) out.metrics.emplace_back(metric, placed->place);
  }
  if (run.has_graph()) out.all.nodes = explained_nodes(run, "*", explainer, kDepth, unheard);
  explainer.open_all();
  for (const Table& table : run.program().tables) {
    if (std::find(tables.begin(), tables.end(), table.name) != tables.end()) add_columns(table, evaluator, explainer, out);
  }
  out.left_out = openings.left_out();
  return out;
}

}  // namespace opledger
