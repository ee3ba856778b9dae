#pragma once
#include "accounting/marks.h"
#include "formulas/inquiry.h"
#include "graph/annotations.h"

/// An annotated graph as the engine's sets: the bridge from placements, which know no sizes, to numbers.
namespace opledger {

/// What the numbers of a graph are computed from. Everything must outlive the evaluator.
struct GraphRun {
  const Graph* graph = nullptr;
  const Annotations* annotations = nullptr;
  std::vector<const Formula*> sizes;                                       ///< By DimId.
  std::vector<const Formula*> loads;                                       ///< By DimId; null: 1.
  std::vector<const Name*> degrees;                                        ///< By AxisId; null for parts.
  std::vector<const Formula*> repeats;                                     ///< By SegmentId; null: once.
  std::vector<const Formula*> rounds;                                      ///< By SegmentId; null: in no group.
  std::vector<std::vector<std::pair<std::string, const Def*>>> arguments;  ///< By NodeId: attributes and parameters that are formulas.
  NodeFormulas formulas;
  std::vector<const Formula*> tensor_widths;  ///< By TensorId; null: the accounting's `activation_width`.
  std::vector<const Formula*> transfer_widths;
  std::vector<const Formula*> margins;
  std::vector<BoundMark> marks;  ///< By MarkId.
};

/// Links what the graph's nodes, dimensions and segments give as formulas over a program: they lie in `into`.
std::optional<GraphRun> bind_graph(const Program& program, const Graph& graph, const Annotations& annotations, Formulas& into, Diagnostics& diagnostics);

/// Fills the axes of a mesh, which are known before there is a graph.
void fill_axes(Inquiry& inquiry, const Mesh& mesh);

/// Fills the engine's sets. False, with errors (a division that does not come out even names node, dimension, axis and rule), if the run is impossible.
bool fill_sets(Evaluator& evaluator, const GraphRun& run, Diagnostics& diagnostics);

}  // namespace opledger
