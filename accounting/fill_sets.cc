#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "accounting/fill_context.h"
#include "accounting/graph_engine.h"
#include "accounting/node_values.h"

namespace opledger {

FillContext::FillContext(Evaluator& evaluator, const GraphRun& the_run)
    : shared_inquiry(std::make_shared<Inquiry>(evaluator)),
      inquiry(*shared_inquiry),
      run(the_run),
      graph(*the_run.graph),
      notes(*the_run.annotations),
      sizes(std::make_shared<Sizes>(inquiry, the_run)),
      texts(std::make_shared<std::vector<std::unique_ptr<std::string>>>()) {}

Value FillContext::text(std::string t) {
  texts->push_back(std::make_unique<std::string>(std::move(t)));
  Value v;
  v.kind = Value::Kind::text;
  v.text = texts->back().get();
  return v;
}

Point FillContext::at_node(NodeId n) { return evaluator().choose(nowhere(), kNodeSet, evaluator().element_at(kNodeSet, static_cast<WordId>(n.number()))); }

WordId FillContext::component(NodeId n) const {
  if (!n) return kNoWord;
  const std::string& name = graph.nodes[n].component;
  return components.at(name.empty() ? "other" : name);
}

WordId FillContext::kernel(NodeId n) const { return n ? kernels.at(notes.kernels[n]) : kNoWord; }

bool FillContext::single(WeightId weight) const {
  const NodeId first = graph.weights[weight].uses[0].first;
  const Segment& segment = graph.segments[graph.nodes[first].segment];
  return segment.single || layers_of_whole.at(segment.whole) == 1;
}

std::set<SegmentId> FillContext::users(WeightId weight) const {
  std::set<SegmentId> out;
  for (const auto& [node, _] : graph.weights[weight].uses) out.insert(graph.nodes[node].segment);
  return out;
}

const Placement& FillContext::used(WeightId weight, NodeId node) const {
  const auto& uses = graph.weights[weight].uses;
  const auto found = std::find_if(uses.begin(), uses.end(), [node](const auto& use) { return use.first == node; });
  return notes.weights[weight].of_use(static_cast<std::size_t>(found - uses.begin()));
}

Scalar FillContext::width(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const Name* found = inquiry.program().find(name)) return inquiry.ask(*found).scalar;
  }
  return integer(1);
}

namespace {

/// Checks that every division by a rule comes out even in the sample, and guards the tape by the result. `specialize`
/// records the guards: first for the remainder, in an error also for the shown numbers. Each rule, dimension and degree
/// is reported once, at its first node. Returns whether the inquiry has no error.
bool check_divisions(FillContext& context) {
  std::set<std::string> reported;
  for (const Divisibility& d : context.notes.divisions) {
    const Scalar size = context.sizes->size(d.dimension), n = context.sizes->degrees(d.axes);
    if (specialize(context.inquiry.tape(), context.sizes->operate(Op::modulo, size, n)) == 0) continue;
    for (const Scalar& shown : {size, n}) specialize(context.inquiry.tape(), shown);
    const RuleRef* rule = d.rule ? &context.notes.rules[d.rule] : nullptr;
    const std::string message = fmt::format("{}: {} = {} does not divide by {} = {}{}", d.name, context.graph.name(d.dimension), exact(size.value),
                                            context.sizes->describe(d.axes), exact(n.value), rule != nullptr ? " (" + rule->text + ")" : "");
    if (!reported.insert(fmt::format("{} {} {}", context.graph.name(d.dimension), n.value, d.rule.number())).second) continue;  // Reported before.
    context.inquiry.error(rule != nullptr ? rule->span : Span{}, message);
  }
  return context.inquiry.good();
}

}  // namespace

/// Fills the set of axes: one row per declared axis, with its degree and its stride, the distance between neighboring
/// ranks. No graph is needed. A rule can cut an axis into two parts whose degrees depend on the graph. Here the first
/// part in `mesh.order`, which lists the parts, counts with the degree of the whole axis, and the other part with one
/// rank; their product is right. The stride is that of the innermost part. Errors go to `inquiry`.
void fill_axes(Inquiry& inquiry, const Mesh& mesh) {
  ElementTable out;
  const auto degree = [&](AxisId a) {
    const Name* name = inquiry.program().find(mesh.axes[a].name);
    return name == nullptr ? integer(1) : inquiry.ask(*name).scalar;
  };
  const auto part = [&](AxisId a) {
    const auto first = std::find_if(mesh.order.begin(), mesh.order.end(), [&](AxisId other) { return mesh.whole(other) == mesh.whole(a); });
    return *first == a ? degree(mesh.whole(a)) : integer(1);
  };
  for (const AxisId a : mesh.axes.ids()) {
    if (mesh.axes[a].part != Axis::Part::whole) continue;
    const AxisList parts = mesh.expand(mesh.axes[a].name);
    out.row(mesh.axes[a].name);
    Value name;
    name.kind = Value::Kind::text;
    name.text = &mesh.axes[a].name;
    out.field("name", name);
    out.field("degree", number_value(degree(a)));
    out.field("stride", number_value(parts.empty() ? integer(1) : stride(inquiry, mesh, parts.back(), part)));
  }
  inquiry.evaluator().set_elements(kAxisSet, out.take());
}

namespace {

/// Fills the sets in dependency order. Each set may refer only to elements of earlier sets. Nodes refer to segments and
/// kernels, messages to communicators, communicators to stages, live tensors to saved tensors and messages, stage
/// contents to all of them. Node values (`input_bytes`, …) are not stored: a callback computes them on demand. Returns
/// false, with errors in `context.inquiry`, if the run is impossible. After the layouts, an error does not end the
/// later steps; the result is then false.
bool fill(FillContext& context) {
  fill_axes(context.inquiry, context.notes.mesh);
  if (!check_divisions(context) || !fill_segments(context) || !context.inquiry.good()) return false;
  const auto nodes = std::make_shared<GraphNodeValues>(context.inquiry, context.run, context.sizes);
  // Captures keep the texts and the inquiry alive as long as the evaluator may call back.
  const auto value = [nodes, texts = context.texts, shared_inquiry = context.shared_inquiry](WordId node, const std::string& name, WordId extent) {
    return nodes->value(NodeId(node), name, extent);
  };
  context.evaluator().set_nodes(value, context.run.formulas);
  fill_nodes(context);
  context.layouts = Layouts::read(context.inquiry, context.run, context.layers);
  if (!context.layouts || !context.inquiry.good()) return false;
  fill_stages(context);
  fill_messages(context);
  fill_saved(context);
  fill_cached(context);
  fill_program_points(context);
  fill_weights(context);
  fill_stage_contents(context);
  return context.inquiry.good();
}

}  // namespace

bool fill_sets(Evaluator& evaluator, const GraphRun& run, Diagnostics& diagnostics) {
  FillContext context(evaluator, run);
  const bool good = fill(context);
  diagnostics.append(std::move(context.inquiry.messages()));
  return good;
}

}  // namespace opledger
