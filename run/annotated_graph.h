#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "accounting/graph_elements.h"
#include "formulas/evaluate/evaluator.h"
#include "graph/annotations.h"
#include "graph/condition.h"
#include "rules/size_queries.h"
#include "run/graph_sources.h"

/// Construction of annotated graphs from models. Conditions and divisibility decide the structure of a graph; every
/// decision is recorded, so that a later candidate with the same decisions reuses the graph. Use: `find_equivalent`
/// first, then `annotate_graph` if no graph fits (case_graphs.h does both).
namespace opledger {

/// One decision of graph construction, with its recorded value. Graphs of one model with equal decisions have equal
/// structure.
struct BuildDecision {
  enum class Kind {
    condition,  ///< The truth of a condition.
    remainder,  ///< A size modulo the ranks of axes.
    group,      ///< A size modulo a number of parts, for grouped dimensions.
    one_rank    ///< The truth that an axis has a single rank.
  } kind = Kind::condition;
  const Formula* formula = nullptr;  ///< The condition, or the size that is divided; null for one_rank.
  const Name* parts = nullptr;       ///< group: the number of parts that divides the size.
  AxisList axes;                     ///< remainder: the axes whose ranks divide the size; one_rank: the axis that is tested.
  double value = 0;                  ///< The remainder, or the truth as 0 or 1.
  bool rounds = false;               ///< remainder: the size is rounded down first.
};

/// A graph with placements and bound formulas, and the decisions that led to it.
struct AnnotatedGraph {
  std::size_t model = 0;  ///< Index in Program::models.
  Formulas formulas;      ///< Formulas that only this graph uses.
  std::vector<BuildDecision> decisions;
  IdVector<DimId, bool> means;  ///< Dimensions that the model declares as averages, whatever their sizes read.
  Graph graph;                  ///< Operators and tensors.
  Annotations annotations;      ///< Placements and collectives by the rules.
  GraphRun run;                 ///< Linked formulas; points into the other members.
};

/// The graphs of a run, sorted by decisions; they stay at their addresses while the list grows.
using AnnotatedGraphs = std::vector<std::unique_ptr<AnnotatedGraph>>;

/// Adds a graph at its place and returns it.
const AnnotatedGraph* add_graph(AnnotatedGraphs& all, std::unique_ptr<AnnotatedGraph> graph);

/// Returns a graph of the evaluator's model whose decisions and averages all recur with the evaluator's values of
/// inputs, or null. On a tape, each compared decision becomes a guard. The cost per decision is logarithmic in the number
/// of graphs.
const AnnotatedGraph* find_equivalent(const AnnotatedGraphs& all, Evaluator& evaluator);

/// The steps of `annotate_graph` one by one, for callers that place one graph by several rule sets.
class GraphBuilder {
 public:
  /// Builds the graph without placements. The rules of `sources` only cut layers into parts here. All arguments must
  /// outlive the object. Null, with errors, if a step fails.
  static std::unique_ptr<GraphBuilder> build(const GraphSources& sources, Evaluator& evaluator, Diagnostics& diagnostics);
  ~GraphBuilder();

  const Graph& graph() const;  ///< The graph; until `finish`.
  const Mesh& mesh() const;    ///< The mesh of the run.
  /// The answers to the queries of the rule passes; valid as long as this object.
  const Condition& condition() const;
  SizeQueries queries() const;

  /// Places the graph by rules; empty after errors.
  std::optional<Annotations> annotate(const RuleSet& rules);
  /// Links the formulas of a graph and its annotations; empty after errors. All arguments must outlive the result.
  std::optional<GraphRun> bind(const Graph& graph, const Annotations& annotations, Formulas& into);
  /// Checks and binds the graph, which leaves this object. Null after errors.
  std::unique_ptr<AnnotatedGraph> finish(Annotations annotations);

 private:
  struct State;
  explicit GraphBuilder(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// Builds and annotates the graph and links its formulas over the program. The evaluator decides conditions (`when`)
/// and divisibility; on a tape, each decision becomes a guard. The caller fills the evaluator's sets afterwards.
/// Returns null, with errors, if a step fails.
std::unique_ptr<AnnotatedGraph> annotate_graph(const GraphSources& sources, Evaluator& evaluator, Diagnostics& diagnostics);

}  // namespace opledger
