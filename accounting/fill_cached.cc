#include "accounting/fill_context.h"
#include "accounting/graph_engine.h"

namespace opledger {
namespace {

/// Returns the largest number of earlier entries that a reader needs; nothing if the readers need all entries.
/// `margins` has a formula per reader, in the order of `cached.margins`.
std::optional<Scalar> margin(FillContext& f, const CachedTensor& cached, const std::vector<const Formula*>& margins) {
  std::optional<Scalar> widest;
  for (std::size_t i = 0; i < margins.size(); ++i) {
    const Scalar own = f.inquiry.ask(*margins[i], f.at_node(cached.margins[i].first)).scalar;
    widest = widest ? f.sizes->operate(Op::maximum, *widest, own) : own;
  }
  return widest;
}

/// Returns the elements of a cached tensor among the operands whose bytes a reader counts. The result is zero if the
/// tensor stays in the reader's kernel, or is a rolling state, which is no operand.
Scalar counted(FillContext& f, const CachedTensor& cached) {
  if (cached.rolls || f.notes.inner[cached.tensor] != 0) return integer(0);
  return f.sizes->elements(cached.dims, cached.placement);
}

}  // namespace

/// Fills two sets: the tensors cached between calls of a sequence, and the nodes that read each of them. Sizes are
/// elements on this rank, `whole` those of the unsplit tensor. A tensor that grows has an entry per token along the
/// dimension `grows`; `length` counts the entries on this rank. If every reader needs only a window, `reach` is the
/// widest window plus the token itself. A window that does not grow stores its margin of earlier entries, so `times`
/// multiplies the elements. Linear in the readers.
void fill_cached(FillContext& f) {
  ElementTable out, reads;
  for (std::size_t i = 0; i < f.notes.cached.size(); ++i) {
    const CachedTensor& cached = f.notes.cached[i];
    // Earlier entries that the widest reader needs; nothing if all are needed.
    const std::optional<Scalar> before = margin(f, cached, f.run.cached_margins[i]);
    Scalar elements = f.sizes->elements(cached.dims, cached.placement), whole = f.sizes->elements(cached.dims);
    Scalar times = integer(cached.times);
    if (!cached.grows && before) times = f.sizes->multiply(times, *before);
    out.row(cached.name);
    out.belongs(kNodeSet, cached.node);
    out.belongs(kKernelSet, f.kernel(cached.node));
    out.belongs(kSegmentSet, cached.segment);
    out.belongs(kComponentSet, f.component(cached.node));
    out.field("name", f.text(cached.name));
    out.field("elements", count_value(f.sizes->multiply(elements, times)));
    out.field("whole", count_value(f.sizes->multiply(whole, times)));
    out.field("length", count_value(cached.grows ? f.sizes->local(cached.grows, cached.placement.axes(cached.grows)) : integer(1)));
    out.field("reach", count_value(cached.grows && before ? f.sizes->add(*before, integer(1)) : integer(0)));
    out.field("grows", truth_value(static_cast<bool>(cached.grows)));
    out.field("rolls", truth_value(cached.rolls));
    out.field("width", byte_value(integer(cached.width)));
    out.field("shape", f.text(f.sizes->shape(cached.dims, cached.placement)));
    add_marks(out, kCachedSet, true, cached.marks, f.run.marks, f.inquiry);
    for (const NodeId reader : cached.readers) {
      reads.row(cached.name);
      reads.belongs(kCachedSet, static_cast<WordId>(i));
      reads.belongs(kNodeSet, reader);
      reads.belongs(kKernelSet, f.kernel(reader));
      reads.belongs(kSegmentSet, f.graph.nodes[reader].segment);
      reads.belongs(kComponentSet, f.component(reader));
      reads.field("elements", count_value(counted(f, cached)));
    }
  }
  f.evaluator().set_elements(kCachedSet, out.take());
  f.evaluator().set_elements(kCacheReadsSet, reads.take());
}

}  // namespace opledger
