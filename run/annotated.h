#pragma once
#include <memory>
#include <vector>

#include "accounting/graph_elements.h"
#include "formulas/evaluate/evaluator.h"
#include "graph/annotations.h"
#include "run/graph_sources.h"

/// From a model to an annotated graph that a program can be evaluated over.
namespace opledger {

/// What a graph was built for: a question about the run, and the answer.
struct Settled {
  enum class Question { condition, remainder, group, one_rank } question = Question::condition;
  const Formula* formula = nullptr;  ///< A condition; the size of what is divided.
  const Name* parts = nullptr;       ///< group: the number of parts that it is divided by.
  AxisList axes;                     ///< remainder: the axes whose ranks it is divided by; one_rank: the axis that may have several.
  double value = 0;
  bool rounds = false;  ///< remainder: of a size that is rounded down.
};

struct AnnotatedGraph {
  std::size_t model = 0;  ///< In Program::models.
  Formulas formulas;      ///< Of the rest.
  std::vector<Settled> settled;
  IdVector<DimId, bool> means;  ///< Dimensions that are averages whatever the values of inputs.
  Graph graph;
  Annotations annotations;
  GraphRun run;
};

/// That of several graphs of one model which would be built the same for the evaluator's values of inputs; what tells is guarded. Null: none.
const AnnotatedGraph* fitting(const std::vector<std::unique_ptr<AnnotatedGraph>>& all, Evaluator& evaluator);

/// Builds and annotates the graph and links its formulas over the program. Conditions (`when`, whether a dimension divides) are settled by the evaluator, which
/// on a tape guards them. The evaluator's sets are not filled. Null, with errors, if something is wrong.
std::unique_ptr<AnnotatedGraph> annotate_graph(const GraphSources& sources, Evaluator& evaluator, Diagnostics& diagnostics);

}  // namespace opledger
