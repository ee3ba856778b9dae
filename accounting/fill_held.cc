#include "accounting/filling.h"
#include "accounting/graph_engine.h"

namespace opledger {
namespace {

/// Entries before its own that the widest-sighted reader of it sees; nothing: all that there are.
std::optional<Scalar> margin(Filling& f, const Held& held, const std::vector<const Formula*>& margins) {
  std::optional<Scalar> widest;
  for (std::size_t i = 0; i < margins.size(); ++i) {
    const Scalar own = f.inquiry.ask(*margins[i], f.at_node(held.margins[i].first)).scalar;
    widest = widest ? f.sizes->operate(Op::maximum, *widest, own) : own;
  }
  return widest;
}

/// Elements of it among the operands that a reader's bytes count: all, unless they stay in its kernel, or are handed on beside operands.
Scalar counted(Filling& f, const Held& held) {
  if (held.rolls || f.notes.inner[held.tensor] != 0) return integer(0);
  return f.sizes->elements(held.dims, held.placement);
}

}  // namespace

void fill_held(Filling& f) {
  ElementTable out, recalled;
  for (std::size_t i = 0; i < f.notes.held.size(); ++i) {
    const Held& held = f.notes.held[i];
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
    add_marks(out, kHeldSet, true, held.marks, f.run.marks, f.inquiry);
    for (const NodeId reader : held.readers) {
      recalled.row(held.name);
      recalled.belongs(kHeldSet, static_cast<WordId>(i));
      recalled.belongs(kNodeSet, reader);
      recalled.belongs(kKernelSet, f.kernel(reader));
      recalled.belongs(kSegmentSet, f.graph.nodes[reader].segment);
      recalled.belongs(kComponentSet, f.component(reader));
      recalled.field("elements", count_value(counted(f, held)));
    }
  }
  f.evaluator().set_elements(kHeldSet, out.take());
  f.evaluator().set_elements(kRecalledSet, recalled.take());
}

}  // namespace opledger
