#include "graph/same.h"

#include <algorithm>
#include <tuple>

#include "expr/printer.h"
#include "graph/print.h"

namespace opledger {
namespace {

bool same(const ExprPtr& a, const ExprPtr& b) { return a == b || (a && b && to_source(*a) == to_source(*b)); }

template <class List, class Same>
bool same_lists(const List& a, const List& b, const Same& same_items) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_items);
}

bool same_dimensions(const DimensionInfo& a, const DimensionInfo& b) {
  const auto facts = [](const DimensionInfo& d) { return std::tie(d.name, d.unordered, d.rounds, d.mean, d.continues, d.variant_of); };
  return facts(a) == facts(b) && same(a.size, b.size) && same(a.load, b.load);
}

bool same_tensors(const Tensor& a, const Tensor& b) {
  const auto facts = [](const Tensor& t) { return std::tie(t.name, t.dims, t.producer, t.port, t.segment, t.data, t.constant); };
  return facts(a) == facts(b) && same(a.width, b.width);
}

bool same_weights(const Weight& a, const Weight& b) { return std::tie(a.name, a.dims, a.uses) == std::tie(b.name, b.dims, b.uses); }

bool same_segments(const Segment& a, const Segment& b) {
  const auto facts = [](const Segment& s) {
    return std::tie(s.name, s.whole, s.single, s.even, s.block, s.group, s.first, s.last, s.inputs, s.sources, s.output);
  };
  return facts(a) == facts(b) && same(a.repeat, b.repeat) && same(a.rounds, b.rounds);
}

bool same_definitions(const Definition& a, const Definition& b) {
  const auto cases = [](const auto& x, const auto& y) { return x.first == y.first && same(x.second, y.second); };
  return std::tie(a.name, a.unit, a.of) == std::tie(b.name, b.unit, b.of) && same(a.otherwise, b.otherwise) && same(a.when, b.when) &&
         same_lists(a.cases, b.cases, cases) && same_lists(a.lets, b.lets, same_definitions);
}

/// Compares the properties that the graph's text lacks; names, operands and weights are part of the text.
bool same_nodes(const Node& a, const Node& b) {
  return a.op == b.op && a.segment == b.segment && a.dims == b.dims && a.attributes == b.attributes &&
         same_lists(a.definitions, b.definitions, same_definitions);
}

bool same_axes(const Axis& a, const Axis& b) {
  const auto facts = [](const Axis& x) { return std::tie(x.name, x.part, x.of, x.dimension, x.before, x.aligned); };
  return facts(a) == facts(b);
}

bool same_meshes(const Mesh& a, const Mesh& b) {
  return std::tie(a.order, a.groups, a.orders, a.composites) == std::tie(b.order, b.groups, b.orders, b.composites) && same_lists(a.axes, b.axes, same_axes);
}

bool same_marks(const Mark& a, const Mark& b) { return std::tie(a.of, a.name, a.value) == std::tie(b.of, b.name, b.value); }

bool same_placements(const NodePlacement& a, const NodePlacement& b) {
  const auto facts = [](const NodePlacement& p) { return std::tie(p.axes, p.consumed, p.passed, p.linear_inputs, p.summand, p.summed, p.unassigned, p.marks); };
  return facts(a) == facts(b);
}

bool same_transfers(const Transfer& a, const Transfer& b) {
  const auto facts = [](const Transfer& t) {
    return std::tie(t.phase, t.cadence, t.kind, t.axes, t.name, t.tensor, t.weight, t.gradient, t.again, t.terms, t.reader, t.readers, t.makers, t.sharing,
                    t.segment, t.dims, t.times, t.message, t.from, t.to, t.fixed_width, t.extent, t.stages, t.marks);
  };
  return facts(a) == facts(b) && same(a.width, b.width) && same(a.margin, b.margin);
}

bool same_saved(const Saved& a, const Saved& b) {
  const auto facts = [](const Saved& s) { return std::tie(s.tensor, s.placement, s.rebuilt, s.as_produced, s.once, s.readers, s.distinct_axes, s.marks); };
  return facts(a) == facts(b);
}

bool same_cached(const CachedTensor& a, const CachedTensor& b) {
  const auto facts = [](const CachedTensor& h) {
    return std::tie(h.name, h.tensor, h.node, h.segment, h.dims, h.times, h.width, h.placement, h.grows, h.rolls, h.readers, h.marks);
  };
  const auto margins = [](const auto& x, const auto& y) { return x.first == y.first && same(x.second, y.second); };
  return facts(a) == facts(b) && same_lists(a.margins, b.margins, margins);
}

bool same_weight_placements(const WeightPlacement& a, const WeightPlacement& b) {
  const auto facts = [](const WeightPlacement& w) { return std::tie(w.compute, w.stored, w.kept, w.gradient, w.optimizer, w.uses, w.marks); };
  return facts(a) == facts(b);
}

bool same_divisions(const Divisibility& a, const Divisibility& b) { return std::tie(a.dimension, a.axes) == std::tie(b.dimension, b.axes); }

template <class List>
bool same_items(const List& a, const List& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

bool same_graphs(const Graph& a, const Graph& b) {
  return a.grouped == b.grouped && a.rebound == b.rebound && same_lists(a.dimensions, b.dimensions, same_dimensions) &&
         same_lists(a.tensors, b.tensors, same_tensors) && same_lists(a.weights, b.weights, same_weights) &&
         same_lists(a.segments, b.segments, same_segments) && same_lists(a.nodes, b.nodes, same_nodes);
}

bool same_annotations(const Annotations& a, const Annotations& b) {
  return a.layers == b.layers && a.padded == b.padded && same_meshes(a.mesh, b.mesh) && same_lists(a.marks, b.marks, same_marks) &&
         same_lists(a.nodes, b.nodes, same_placements) && same_items(a.inputs, b.inputs) && same_items(a.recomputed, b.recomputed) &&
         same_items(a.dropped, b.dropped) && same_items(a.kernels, b.kernels) && same_items(a.once, b.once) && same_items(a.inner, b.inner) &&
         same_items(a.needs_gradient, b.needs_gradient) && same_items(a.trained, b.trained) && same_lists(a.transfers, b.transfers, same_transfers) &&
         same_lists(a.saved, b.saved, same_saved) && same_lists(a.cached, b.cached, same_cached) && same_lists(a.weights, b.weights, same_weight_placements) &&
         same_lists(a.divisions, b.divisions, same_divisions);
}

}  // namespace

/// Field-by-field comparison is combined with a comparison of texts. The texts cover everything that people see, and
/// each new field that is printed is compared without further code.
bool same(const Graph& a, const Annotations& of_a, const Graph& b, const Annotations& of_b) {
  return same_graphs(a, b) && same_annotations(of_a, of_b) && to_text(a, of_a) == to_text(b, of_b);
}

}  // namespace opledger
