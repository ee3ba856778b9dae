#pragma once
#include "accounting/declared_marks.h"
#include "formulas/evaluate/inquiry.h"
#include "graph/annotations.h"

/// An annotated graph as the engine's sets: the bridge from placements, which know no sizes, to numbers.
namespace opledger {

/// What the numbers of a graph are computed from. Everything must outlive the evaluator.
struct GraphRun {
  const Graph* graph = nullptr;
  const Annotations* annotations = nullptr;
  IdVector<DimId, const Formula*> sizes;
  IdVector<DimId, const Formula*> loads;                                        ///< Null: 1.
  IdVector<AxisId, const Name*> degrees;                                        ///< Null for parts.
  IdVector<SegmentId, const Formula*> repeats;                                  ///< Null: once.
  IdVector<SegmentId, const Formula*> rounds;                                   ///< Null: in no group.
  IdVector<NodeId, std::vector<std::pair<std::string, const Def*>>> arguments;  ///< Attributes and parameters that are formulas.
  NodeFormulas formulas;
  IdVector<TensorId, const Formula*> tensor_widths;  ///< Null: the accounting's `activation_width`.
  std::vector<const Formula*> transfer_widths;
  std::vector<const Formula*> margins;
  std::vector<std::vector<const Formula*>> held_margins;
  IdVector<MarkId, BoundMark> marks;
};

/// Links what the graph's nodes, dimensions and segments give as formulas over a program: they lie in `into`, and see the names of `scope`.
std::optional<GraphRun> bind_graph(const Program& program, const NameScope& scope, const Graph& graph, const Annotations& annotations, Formulas& into,
                                   Diagnostics& diagnostics);

/// Fills the axes of a mesh, which are known before there is a graph.
void fill_axes(Inquiry& inquiry, const Mesh& mesh);

/// Fills the engine's sets. False, with errors (a division that does not come out even names node, dimension, axis and rule), if the run is impossible.
bool fill_sets(Evaluator& evaluator, const GraphRun& run, Diagnostics& diagnostics);

}  // namespace opledger
