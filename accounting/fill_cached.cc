#include "accounting/fill_context.h"
#include "accounting/graph_engine.h"

namespace opledger {
namespace {

/// Returns the largest number of earlier entries that a reader needs; nothing if the readers need all entries.
std::optional<Scalar> margin(FillContext& f, const CachedTensor& held, const std::vector<const Formula*>& margins) {
  std::optional<Scalar> widest;
  for (std::size_t i = 0; i < margins.size(); ++i) {
    const Scalar own = f.inquiry.ask(*margins[i], f.at_node(held.margins[i].first)).scalar;
    widest = widest ? f.sizes->operate(Op::maximum, *widest, own) : own;
  }
  return widest;
}

/// Returns the elements of a cached tensor among the operands whose bytes a reader counts. The result is zero if the
/// tensor stays in the reader's kernel, or is a rolling state, which is no operand.
Scalar counted(FillContext& f, const CachedTensor& held) {
  if (held.rolls || f.notes.inner[held.tensor] != 0) return integer(0);
  return f.sizes->elements(held.dims, held.placement);
}

}  // namespace

void fill_cached(FillContext& f) {
  ElementTable out, reads;
  for (std::size_t i = 0; i < f.notes.cached.size(); ++i) {
    const CachedTensor& held = f.notes.cached[i];
    const std::optional<Scalar> before = margin(f, held, f.run.held_margins[i]);
    Scalar elements = f.sizes->elements(held.dims, held.placement), whole = f.sizes->elements(held.dims);
    Scalar times = integer(held.times);
    if (!held.grows && before) times = f.sizes->multiply(times, *before);
    out.row(held.name);
    out.belongs(kNodeSet, held.node);
    out.belongs(kKernelSet, f.kernel(held.node));
    out.belongs(kSegmentSet, held.segment);
    out.belongs(kComponentSet, f.component(held.node));
    out.field("name", f.text(held.name));
    out.field("elements", count_value(f.sizes->multiply(elements, times)));
    out.field("whole", count_value(f.sizes->multiply(whole, times)));
    out.field("length", count_value(held.grows ? f.sizes->local(held.grows, held.placement.axes(held.grows)) : integer(1)));
    out.field("reach", count_value(held.grows && before ? f.sizes->add(*before, integer(1)) : integer(0)));
    out.field("grows", truth_value(static_cast<bool>(held.grows)));
    out.field("rolls", truth_value(held.rolls));
    out.field("width", byte_value(integer(held.width)));
    out.field("shape", f.text(f.sizes->shape(held.dims, held.placement)));
    add_marks(out, kCachedSet, true, held.marks, f.run.marks, f.inquiry);
    for (const NodeId reader : held.readers) {
      reads.row(held.name);
      reads.belongs(kCachedSet, static_cast<WordId>(i));
      reads.belongs(kNodeSet, reader);
      reads.belongs(kKernelSet, f.kernel(reader));
      reads.belongs(kSegmentSet, f.graph.nodes[reader].segment);
      reads.belongs(kComponentSet, f.component(reader));
      reads.field("elements", count_value(counted(f, held)));
    }
  }
  f.evaluator().set_elements(kCachedSet, out.take());
  f.evaluator().set_elements(kCacheReadsSet, reads.take());
}

}  // namespace opledger
