#include "questions/explain/explained_run.h"

#include <algorithm>

#include "questions/explain/expansion_table.h"
#include "questions/explain/explain_nodes.h"

namespace opledger {
namespace {

constexpr int kDepth = 6;  // Limit of nested functions; names end at entries.
constexpr int kTerms = 4;
// Limits of the three passes: metrics and their dependencies, then quantities of nodes and cells of tables, then the
// dependencies of these.
constexpr std::size_t kOfMetrics = 2, kOfAll = 5, kMostQuantities = 4'000, kMostCells = 300;
constexpr std::size_t kFewRows = 24;  // Limit of rows for explained cells.

/// Explains the columns of tables that are plain names.
class TableExplainer {
 public:
  TableExplainer(Run& run, Explainer& explainer, ExplainedRun& out) : run_(run), evaluator_(run.evaluator()), explainer_(explainer), out_(out) {}

  void add_cells(const ExplainedTable& table) {
    if (table.rows.size() > kFewRows) return;
    each_column(table, [&](const TableColumn& column) {
      std::vector<int> places;
      for (const Point& row : table.rows) places.push_back(place_of(column, row));
      if (std::any_of(places.begin(), places.end(), [](int place) { return place >= 0; })) out_.cells.emplace_back(table.name + "." + column.title, places);
    });
  }

  void add_definitions(const ExplainedTable& table) {
    if (table.rows.empty()) return;
    each_column(table, [&](const TableColumn& column) {
      const Point point = evaluator_.choose(table.rows[0], column.at);
      if (!evaluator_.ask(*column.name, point).known()) return;
      const int definition = explainer_.definition(*column.name, point);
      if (definition >= 0) out_.columns.emplace_back(table.name + "." + column.title, definition);
    });
  }

 private:
  template <class F>
  void each_column(const ExplainedTable& table, F&& f) const {
    for (const Table& stated : run_.program().tables) {
      if (stated.name != table.name) continue;
      for (const TableColumn& column : stated.columns) {
        if (column.name != nullptr) f(column);
      }
    }
  }

  int place_of(const TableColumn& column, const Point& row) {
    const Point point = evaluator_.choose(row, column.at);
    const Answer answer = evaluator_.ask(*column.name, point);
    if (!answer.known() || !answer.value.is_number()) return -1;
    const std::optional<Explanation> placed = explainer_.name_or_place(*column.name, point, 0);
    return placed ? placed->place : -1;
  }

  Run& run_;
  Evaluator& evaluator_;
  Explainer& explainer_;
  ExplainedRun& out_;
};

}  // namespace

/// Explains everything on a page, each name at a point once. `expansions` is a table of pairs of name and point, with a
/// limit on its entries; `open_all` expands entries by one level, which adds the names below them. The passes raise the
/// limit in the order of importance: metrics and their dependencies first, up to a part of `most`; then quantities of
/// nodes and cells of tables; then the dependencies of these. References beyond a limit are counted in `left_out`.
/// Columns come last: their definitions need no entries. The cost is one evaluation and expansion for each entry.
ExplainedRun explain_run(Run& run, const std::vector<std::string>& metrics, const std::vector<ExplainedTable>& tables, std::size_t most) {
  ExplainedRun out;
  ExpansionTable expansions(most * kOfMetrics / kOfAll);
  Diagnostics ignored;  // Values that can't be computed are omitted.
  const ExplainOptions options{kDepth, kTerms, {}};
  Explainer explainer(run, options, out.all, ignored, &expansions);
  Evaluator& evaluator = run.evaluator();
  for (const std::string& metric : metrics) {
    const Published* published = run.program().find_published(metric);
    if (published == nullptr || !evaluator.ask(*published).known()) continue;
    const std::optional<Explanation> placed = explainer.name_or_place(*published->metric, evaluator.choose(nowhere(), published->at), kDepth);
    if (placed && placed->place >= 0) out.metrics.emplace_back(metric, placed->place);
  }
  explainer.open_all();
  expansions.allow(expansions.size() + kMostQuantities);
  if (run.has_graph()) out.all.nodes = explained_nodes(run, "*", explainer, kDepth, ignored, kMostExplainedNodes);
  expansions.allow(expansions.size() + kMostCells);
  TableExplainer tables_explainer(run, explainer, out);
  for (const ExplainedTable& table : tables) tables_explainer.add_cells(table);
  expansions.allow(std::max(most, expansions.size()));
  explainer.open_all();
  for (const ExplainedTable& table : tables) tables_explainer.add_definitions(table);
  out.left_out = expansions.left_out();
  return out;
}

}  // namespace opledger
