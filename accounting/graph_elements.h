#pragma once
#include "accounting/declared_marks.h"
#include "formulas/evaluate/inquiry.h"
#include "graph/annotations.h"

/// The entry of this folder. It turns an annotated graph into the sets over which formulas aggregate: nodes, weights,
/// messages and so on. First `bind_graph` links the graph's formulas against a program; then `fill_sets` evaluates them
/// and fills the sets of an evaluator. Placements of the graph name axes only; here sizes and degrees are evaluated.
/// The fields of elements are numbers, or symbols if the evaluator records a trace.
namespace opledger {

/// The linked formulas that give the numbers of a graph: sizes, repetitions, bytes. Lists without an IdVector follow
/// the transfers or cached tensors of `annotations`. Everything here must outlive the evaluator.
struct GraphRun {
  const Graph* graph = nullptr;              ///< The graph; not owned.
  const Annotations* annotations = nullptr;  ///< Its placements, transfers and saved tensors; not owned.
  /// Size of each dimension.
  IdVector<DimId, const Formula*> sizes;
  IdVector<DimId, const Formula*> loads;        ///< Load of the busiest rank relative to an even split, by dimension; null: 1.
  IdVector<AxisId, const Name*> degrees;        ///< Names with the number of ranks; null for both parts of an axis that was cut in two.
  IdVector<SegmentId, const Formula*> repeats;  ///< Number of layers; null: the segment occurs once.
  IdVector<SegmentId, const Formula*> rounds;   ///< Number of rounds in which neighboring segments take turns; null: the segment is in no such group.
  IdVector<NodeId, std::vector<std::pair<std::string, const Def*>>> arguments;  ///< Attributes and parameters that are formulas.
  /// Operators of the nodes, and quantities that nodes define themselves.
  NodeFormulas formulas;
  IdVector<TensorId, const Formula*> tensor_widths;  ///< Bytes of an element; null: the accounting's width of activations, or of their gradients.
  /// Bytes of an element, by transfer; null: the width of activations or weights.
  std::vector<const Formula*> transfer_widths;
  /// Entries that a halo exchange sends per row, by transfer; null for other transfers.
  std::vector<const Formula*> margins;
  /// Earlier entries that each reader needs, by cached tensor and reader; empty: all entries.
  std::vector<std::vector<const Formula*>> cached_margins;
  IdVector<MarkId, BoundMark> marks;  ///< Values of the marks that rules set.
};

/// Links the formulas of the graph's nodes, dimensions, segments, transfers and marks against a program. New formulas
/// are stored in `into` and see the names of `scope`. Returns nothing after errors, such as an unknown attribute of a
/// node.
std::optional<GraphRun> bind_graph(const Program& program, const NameScope& scope, const Graph& graph, const Annotations& annotations, Formulas& into,
                                   Diagnostics& diagnostics);

/// Fills the set of axes of a mesh, which needs no graph, so that conditions can read it while a graph is built.
void fill_axes(Inquiry& inquiry, const Mesh& mesh);

/// Fills the evaluator's sets one after the other; later sets read elements of earlier sets. Returns false, with
/// errors, if the run is impossible. A division that leaves a remainder is such an error; it names node, dimension,
/// axis and rule.
bool fill_sets(Evaluator& evaluator, const GraphRun& run, Diagnostics& diagnostics);

}  // namespace opledger
