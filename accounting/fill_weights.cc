#include <set>

#include "accounting/fill_context.h"
#include "accounting/graph_engine.h"
#include "accounting/liveness.h"
#include "graph/matrix.h"

namespace opledger {
namespace {

/// Returns the bytes of an element of a saved tensor: the tensor's own width, else the widest that one of its readers
/// needs (`kept_width`), else the width of activations.
Scalar kept_width(FillContext& context, const Saved& s) {
  if (const Formula* own = context.run.tensor_widths[s.tensor]) return context.inquiry.ask(*own).scalar;
  const Name* kept = context.inquiry.program().find("kept_width");
  if (kept == nullptr || s.readers.empty()) return context.width({"activation_width"});
  Scalar widest = integer(0);
  for (const NodeId reader : s.readers) widest = context.sizes->operate(Op::maximum, widest, context.inquiry.ask(*kept, context.at_node(reader)).scalar);
  return widest;
}

/// Adds the fields of the weight's matrices. A weight is a stack of equal matrices: rows, columns and number are given
/// as a whole and on one rank. `split_…` describe the ranks over which computation splits a matrix, `spread_…` the
/// ranks over which the optimizer spreads its elements. `…_ranks` counts the ranks, `…_span` the processors from the
/// first to the last of them.
void matrix_fields(FillContext& context, ElementTable& out, const MatrixDims& dims, const WeightPlacement& p) {
  const auto local = [&](const DimList& list) { return count_value(context.sizes->elements(list, p.compute)); };
  out.field("rows", count_value(context.sizes->elements(dims.rows)));
  out.field("columns", count_value(context.sizes->elements(dims.columns)));
  out.field("matrices", count_value(context.sizes->elements(dims.stack)));
  out.field("local_rows", local(dims.rows));
  out.field("local_columns", local(dims.columns));
  out.field("local_matrices", local(dims.stack));
  AxisList split;
  for (const DimList* list : {&dims.rows, &dims.columns}) {
    for (const DimId d : *list) {
      if (const AxisList* axes = p.compute.axes(d)) split.insert(split.end(), axes->begin(), axes->end());
    }
  }
  // The pseudo-dimension kElements: a weight that is cut into equal portions without regard to its dimensions.
  const AxisList* spread = p.optimizer.axes(kElements);
  out.field("split_ranks", count_value(context.sizes->degrees(split)));
  out.field("split_span", count_value(context.sizes->span(split)));
  out.field("spread_ranks", count_value(context.sizes->degrees(spread != nullptr ? *spread : AxisList{})));
  out.field("spread_span", count_value(context.sizes->span(spread != nullptr ? *spread : AxisList{})));
}

/// Returns whether a message of each microbatch brings the weight to the node `user`, because its ranks lack elements.
/// Linear in the transfers.
bool is_brought(const FillContext& context, WeightId w, NodeId user) {
  return std::any_of(context.notes.transfers.begin(), context.notes.transfers.end(), [&](const Transfer& t) {
    return t.weight == w && !t.gradient && t.cadence == Cadence::microbatch && t.reader == user && t.kind != Collective::slice;
  });
}

/// Adds two fields about the nodes of a segment that use the weight. A use may compute in a placement of its own, other
/// than `compute`. `as_stored`: at least one use computes in `compute`. `rearranged`: elements of the further copies
/// that messages bring, each placement counted once. A further placement without a message adds nothing, because the
/// ranks already have its elements.
void fill_copies_of_uses(const FillContext& context, ElementTable& out, WeightId w, SegmentId segment) {
  const WeightPlacement& p = context.notes.weights[w];
  bool as_stored = p.uses.empty();
  Scalar rearranged = integer(0);
  std::vector<Placement> seen;
  for (std::size_t i = 0; i < p.uses.size(); ++i) {
    const NodeId user = context.graph.weights[w].uses[i].first;
    if (context.graph.nodes[user].segment != segment || contains(seen, p.uses[i])) continue;
    seen.push_back(p.uses[i]);
    if (p.uses[i] == p.compute)
      as_stored = true;
    else if (is_brought(context, w, user))
      rearranged = context.sizes->add(rearranged, context.sizes->elements(context.graph.weights[w].dims, p.uses[i]));
  }
  out.field("as_stored", truth_value(as_stored));
  out.field("rearranged", count_value(rearranged));
}

/// Adds a row to the set of saved tensors for memory that a node with marks may keep until backward, besides its saved
/// tensors. The row has as many elements as the node's results on one rank. Its bytes are 0 here: formulas of the
/// accounting decide them by the marks.
void fill_extra(FillContext& context, ElementTable& out, NodeId n) {
  const Node& node = context.graph.nodes[n];
  Scalar elements = integer(0);
  for (const TensorId t : node.outputs) {
    Scalar own = integer(1);
    for (const DimId d : context.graph.tensors[t].dims) own = context.sizes->multiply(own, context.sizes->local(d, &context.notes.nodes[n].of(d)));
    elements = context.sizes->add(elements, own);
  }
  context.saved_bytes.push_back(integer(0));
  out.row(node.name + " (beside)");
  out.belongs(kNodeSet, n);
  out.belongs(kSegmentSet, node.segment);
  out.belongs(kKernelSet, context.kernel(n));
  out.belongs(kComponentSet, context.component(n));
  out.field("name", context.text(node.name + " (beside)"));
  out.field("elements", count_value(elements));
  out.field("bytes", byte_value(integer(0)));
  out.field("recomputed", truth_value(context.notes.dropped[n] != 0));
  out.field("once", truth_value(false));
  out.field("beside", truth_value(true));
  out.field("shape", context.text(""));
  add_marks(out, kSavedSet, true, {}, context.run.marks, context.inquiry);
}

}  // namespace

/// Fills the set of tensors saved for backward. Row i is entry i of `notes.saved`; rows of additional memory follow
/// (`fill_extra`). The node of a row is the producer, or the first reader of a segment's input. A tensor can be saved
/// in several placements. A further copy counts only in candidates in which its placement differs from that of each
/// earlier copy: every list in `distinct_axes` must then have more than one rank, else the copy has 0 elements.
/// `context.saved_bytes` keeps the bytes for the live tensors.
void fill_saved(FillContext& context) {
  ElementTable out;
  for (const Saved& s : context.notes.saved) {
    const Tensor& tensor = context.graph.tensors[s.tensor];
    Scalar elements = context.sizes->elements(tensor.dims, s.placement);
    for (const AxisList& axes : s.distinct_axes)
      elements = context.sizes->multiply(elements, context.sizes->operate(Op::greater, context.sizes->degrees(axes), integer(1)));
    out.row(tensor.name);
    const NodeId node = tensor.producer ? tensor.producer : s.readers.empty() ? NodeId() : s.readers[0];
    out.belongs(kNodeSet, node);
    out.belongs(kSegmentSet, tensor.segment);
    out.belongs(kKernelSet, context.kernel(node));
    out.belongs(kComponentSet, context.component(node));
    out.field("name", context.text(tensor.name));
    out.field("elements", count_value(elements));
    context.saved_bytes.push_back(context.sizes->multiply(elements, kept_width(context, s)));
    out.field("bytes", byte_value(context.saved_bytes.back()));
    out.field("recomputed", truth_value(s.rebuilt));
    out.field("once", truth_value(s.once));
    out.field("beside", truth_value(false));
    out.field("shape", context.text(context.sizes->shape(tensor.dims, s.placement)));
    add_marks(out, kSavedSet, true, s.marks, context.run.marks, context.inquiry);
  }
  context.nodes_with_extra_memory = nodes_with_extra_memory(context.graph, context.notes);
  for (const NodeId n : context.nodes_with_extra_memory) fill_extra(context, out, n);
  context.evaluator().set_elements(kSavedSet, out.take());
}

/// Fills the set of weights: one row per weight and segment that uses it. Kernel and component are those of the first
/// use. A tied weight is stored on every stage that uses it, and counted once: `shared` is true in every segment except
/// the first, where parts of one segment count as one. Elements are those of one rank in each placement: for computing,
/// between steps (`stored`), from forward to backward (`kept`), of gradient and optimizer. `context.segment_weights`
/// lists the rows for the weights of stages.
void fill_weights(FillContext& context) {
  ElementTable out;
  for (const WeightId w : context.graph.weights.ids()) {
    const Weight& weight = context.graph.weights[w];
    const WeightPlacement& p = context.notes.weights[w];
    std::set<SegmentId> seen, all;  // Segments with a row; all segments that use the weight.
    const auto whole = [&](SegmentId s) { return context.graph.segments[s].whole; };
    for (const auto& [node, _] : weight.uses) all.insert(context.graph.nodes[node].segment);
    for (const auto& [node, _] : weight.uses) {
      const SegmentId segment = context.graph.nodes[node].segment;
      if (!seen.insert(segment).second) continue;
      context.segment_weights.push_back({w, node, segment});
      out.row(weight.name);
      out.belongs(kNodeSet, node);
      out.belongs(kSegmentSet, segment);
      out.belongs(kKernelSet, context.kernel(weight.uses[0].first));
      out.belongs(kComponentSet, context.component(weight.uses[0].first));
      out.field("name", context.text(weight.name));
      out.field("elements", count_value(context.sizes->elements(weight.dims, p.compute)));
      out.field("whole", count_value(context.sizes->elements(weight.dims)));
      out.field("stored", count_value(context.sizes->elements(weight.dims, p.stored)));
      out.field("kept", count_value(context.sizes->elements(weight.dims, p.kept)));
      fill_copies_of_uses(context, out, w, segment);
      const bool trained = context.notes.trained[w] != 0;
      out.field("trained", truth_value(trained));
      out.field("gradient", count_value(trained ? context.sizes->elements(weight.dims, p.gradient) : integer(0)));
      out.field("optimizer", count_value(trained ? context.sizes->elements(weight.dims, p.optimizer) : integer(0)));
      matrix_fields(context, out, matrix_dims(context.graph, w), p);
      out.field("dimensions", count_value(integer(static_cast<double>(weight.dims.size()))));
      out.field("shared", truth_value(whole(segment) != whole(*all.begin())));
      out.field("tied", truth_value(all.size() > 1));
      out.field("shape", context.text(context.sizes->shape(weight.dims, p.stored)));
      add_marks(out, kWeightSet, true, p.marks, context.run.marks, context.inquiry);
    }
  }
  context.evaluator().set_elements(kWeightSet, out.take());
}

}  // namespace opledger
