#pragma once
#include "accounting/declared_marks.h"
#include "formulas/evaluate/inquiry.h"
#include "graph/annotations.h"

/// The entry of this folder: an annotated graph, whose placements know no sizes, becomes the engine's sets of elements,
/// whose fields are numbers or symbols of a tape.
namespace opledger {

/// The formulas that give the numbers of a graph. Everything here must outlive the evaluator.
struct GraphRun {
  const Graph* graph = nullptr;
  const Annotations* annotations = nullptr;
  /// Size of each dimension.
  IdVector<DimId, const Formula*> sizes;
  IdVector<DimId, const Formula*> loads;                                        ///< Null: 1.
  IdVector<AxisId, const Name*> degrees;                                        ///< Null for parts of a cut axis.
  IdVector<SegmentId, const Formula*> repeats;                                  ///< Null: the segment occurs once.
  IdVector<SegmentId, const Formula*> rounds;                                   ///< Null: the segment is in no group.
  IdVector<NodeId, std::vector<std::pair<std::string, const Def*>>> arguments;  ///< Attributes and parameters that are formulas.
  NodeFormulas formulas;
  IdVector<TensorId, const Formula*> tensor_widths;  ///< Bytes of an element; null: the accounting's `activation_width`.
  std::vector<const Formula*> transfer_widths;
  std::vector<const Formula*> margins;
  std::vector<std::vector<const Formula*>> cached_margins;
  IdVector<MarkId, BoundMark> marks;
};

/// Links the formulas of the graph's nodes, dimensions, segments, transfers and marks against a program. New formulas
/// are stored in `into` and see the names of `scope`. Returns nothing after errors, such as an unknown attribute of a
/// node.
std::optional<GraphRun> bind_graph(const Program& program, const NameScope& scope, const Graph& graph, const Annotations& annotations, Formulas& into,
                                   Diagnostics& diagnostics);

/// Fills the set of axes of a mesh, which needs no graph.
void fill_axes(Inquiry& inquiry, const Mesh& mesh);

/// Fills the engine's sets in their order. Returns false, with errors, if the run is impossible. A division that leaves
/// a remainder is such an error; it names node, dimension, axis and rule.
bool fill_sets(Evaluator& evaluator, const GraphRun& run, Diagnostics& diagnostics);

}  // namespace opledger
