#include "accounting/fill_context.h"
#include "accounting/graph_engine.h"

namespace opledger {
namespace {

/// Returns the largest number of earlier entries that a reader needs; nothing if `margins` is empty: some reader then
/// needs all entries, or the tensor is a state. `margins` has a formula per reader, in the order of `cached.margins`.
std::optional<Scalar> margin(FillContext& context, const CachedTensor& cached, const std::vector<const Formula*>& margins) {
  std::optional<Scalar> widest;
  for (std::size_t i = 0; i < margins.size(); ++i) {
    const Scalar own = context.inquiry.ask(*margins[i], context.at_node(cached.margins[i].first)).scalar;
    widest = widest ? context.sizes->operate(Op::maximum, *widest, own) : own;
  }
  return widest;
}

/// Returns the elements of a cached tensor on one rank that a reader counts among the bytes of its operands. The result
/// is zero if the tensor stays in the reader's kernel, or is a rolling state, which is no operand.
Scalar counted(FillContext& context, const CachedTensor& cached) {
  if (cached.rolls || context.notes.inner[cached.tensor] != 0) return integer(0);
  return context.sizes->elements(cached.dims, cached.placement);
}

}  // namespace

/// Fills two sets: the tensors cached between calls of a sequence, and the nodes that read each of them. Sizes are
/// elements on this rank, `whole` those of the unsplit tensor. A tensor that grows has an entry per token along the
/// dimension `grows`; `length` counts the entries on this rank. If every reader needs only a window, `reach` is the
/// widest window plus the token itself. A window that does not grow stores its margin of earlier entries, so `times`
/// multiplies the elements. Linear in the readers.
void fill_cached(FillContext& context) {
  ElementTable out, reads;
  for (std::size_t i = 0; i < context.notes.cached.size(); ++i) {
    const CachedTensor& cached = context.notes.cached[i];
    // Earlier entries that the widest reader needs; nothing if all are needed.
    const std::optional<Scalar> before = margin(context, cached, context.run.cached_margins[i]);
    Scalar elements = context.sizes->elements(cached.dims, cached.placement), whole = context.sizes->elements(cached.dims);
    Scalar times = integer(cached.times);
    if (!cached.grows && before) times = context.sizes->multiply(times, *before);
    out.row(cached.name);
    out.belongs(kNodeSet, cached.node);
    out.belongs(kKernelSet, context.kernel(cached.node));
    out.belongs(kSegmentSet, cached.segment);
    out.belongs(kComponentSet, context.component(cached.node));
    out.field("name", context.text(cached.name));
    out.field("elements", count_value(context.sizes->multiply(elements, times)));
    out.field("whole", count_value(context.sizes->multiply(whole, times)));
    out.field("length", count_value(cached.grows ? context.sizes->local(cached.grows, cached.placement.axes(cached.grows)) : integer(1)));
    out.field("reach", count_value(cached.grows && before ? context.sizes->add(*before, integer(1)) : integer(0)));
    out.field("grows", truth_value(static_cast<bool>(cached.grows)));
    out.field("rolls", truth_value(cached.rolls));
    out.field("width", byte_value(integer(cached.width)));
    out.field("shape", context.text(context.sizes->shape(cached.dims, cached.placement)));
    add_marks(out, kCachedSet, true, cached.marks, context.run.marks, context.inquiry);
    for (const NodeId reader : cached.readers) {
      reads.row(cached.name);
      reads.belongs(kCachedSet, static_cast<WordId>(i));
      reads.belongs(kNodeSet, reader);
      reads.belongs(kKernelSet, context.kernel(reader));
      reads.belongs(kSegmentSet, context.graph.nodes[reader].segment);
      reads.belongs(kComponentSet, context.component(reader));
      reads.field("elements", count_value(counted(context, cached)));
    }
  }
  context.evaluator().set_elements(kCachedSet, out.take());
  context.evaluator().set_elements(kCacheReadsSet, reads.take());
}

}  // namespace opledger
