#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "accounting/fill_context.h"
#include "accounting/graph_engine.h"
#include "accounting/node_values.h"
#include "base/text.h"
#include "schemas/shipped.h"

namespace opledger {
namespace {

/// Fills the set of components in the order of their first nodes; nodes without a component belong to `other`.
void fill_components(FillContext& context) {
  ElementTable out;
  for (const NodeId n : context.graph.nodes.ids()) {
    const std::string& component = context.graph.nodes[n].component;
    const std::string name = component.empty() ? "other" : component;
    if (context.components.emplace(name, static_cast<WordId>(context.components.size())).second) {
      out.row(name);
      out.field("name", context.text(name));
    }
  }
  context.evaluator().set_elements(kComponentSet, out.take());
}

constexpr double kMostLayers = 1e6;

/// Returns the value of a segment's `repeat` or of its group's rounds; `repeat` is the formula. The value must be a
/// whole number from 0 to kMostLayers without a unit. On a tape, a guard limits the recording to such values. Returns
/// nothing, with an error, for any other value.
std::optional<Value> whole_layers(FillContext& context, SegmentId segment, const Formula& repeat) {
  const Value layers = context.inquiry.ask(repeat);
  const Segment& s = context.graph.segments[segment];
  if (context.inquiry.stopped()) {
    context.inquiry.error(s.span, fmt::format("segment `{}`: its `repeat` can't be computed", s.name));
    return std::nullopt;
  }
  const double n = layers.scalar.value;
  if (layers.is_number() && layers.unit.plain() && n >= 0 && n == static_cast<double>(static_cast<long long>(n)) && n <= kMostLayers) {
    keep_whole(context.inquiry.tape(), layers.scalar, 0, kMostLayers);
    return layers;
  }
  specialize(context.inquiry.tape(), layers.scalar);
  context.inquiry.error(written(repeat, s.span), fmt::format("segment `{}`: `repeat` must be a whole number from 0 to 1,000,000, not {}", s.name,
                                                             layers.is_number() ? human(layers) : describe(layers)));
  return std::nullopt;
}

/// Checks that the layers of a segment, with all its parts, are a multiple of its group's rounds. Returns false, with
/// an error, if layers are left over or the rounds are invalid.
bool fills_rounds(FillContext& context, SegmentId segment, const Scalar& layers) {
  const std::optional<Value> rounds = whole_layers(context, segment, *context.run.rounds[segment]);
  if (!rounds) return false;
  const auto operate = [&](Op op, const Scalar& a, const Scalar& b) { return apply(context.inquiry.tape(), op, a, b); };
  const Scalar left = operate(Op::modulo, layers, operate(Op::maximum, rounds->scalar, integer(1)));
  if (specialize(context.inquiry.tape(), operate(Op::equal, left, integer(0))) != 0) return true;
  const Segment& s = context.graph.segments[segment];
  for (const Scalar& shown : {layers, rounds->scalar}) specialize(context.inquiry.tape(), shown);
  context.inquiry.error(
      s.span, fmt::format("segment `{}`: {} layers can't be spread evenly over the {} rounds of its group", s.whole, exact(layers.value), human(*rounds)));
  return false;
}

/// Returns the axes, except those of the layers, that a node does not use; the ranks of these axes repeat its work.
AxisList unused(const FillContext& context, NodeId id) {
  AxisList used = context.notes.layers;
  for (const auto& [_, axes] : context.notes.nodes[id].axes) used.insert(used.end(), axes.begin(), axes.end());
  AxisList out;
  for (const AxisId a : context.notes.mesh.order) {
    if (!contains(used, a)) out.push_back(a);
  }
  return out;
}

/// Ranks that repeat a node's work although a dimension without a rule could be split evenly over them.
struct Repeated {
  AxisList axes;
  std::vector<std::string> dimensions;
};

/// Finds the axes along which ranks repeat the node's work, and the dimensions that a further rule could split over
/// them. `unassigned` lists, for each axis that the node does not use, its dimensions without a rule for this axis. A
/// dimension fits if the ranks of the axis divide its size. Dimensions that another axis splits are named only if no
/// unsplit dimension fits. Returns nothing on a tape, because the decision depends on sizes.
Repeated repeated(const FillContext& context, NodeId id) {
  Repeated out;
  if (context.inquiry.tape() != nullptr) return out;  // Only reports of single runs show repeated work.
  std::vector<std::string> split;                     // Dimensions that are split already; named only if no other dimension fits.
  for (const auto& [axis, dimensions] : context.notes.nodes[id].unassigned) {
    const double ranks = context.sizes->degree(axis).value;
    bool any = false;
    for (const DimId d : dimensions) {
      const std::string& name = context.graph.name(d);
      if (ranks <= 1 || std::fmod(context.sizes->size(d).value, ranks) != 0) continue;
      any = true;
      std::vector<std::string>& names = context.sizes->degrees(context.notes.nodes[id].of(d)).value > 1 ? split : out.dimensions;
      if (!contains(names, name)) names.push_back(name);
    }
    if (any) out.axes.push_back(axis);
  }
  if (out.dimensions.empty()) out.dimensions = std::move(split);
  return out;
}

/// Returns the operator and all dimensions: nodes of one name can be different matrix products, through block
/// parameters.
std::string signature(const FillContext& context, const Node& node) {
  std::string out = node.op->name;
  const auto add = [&](const DimList& dims) {
    out += ' ';
    for (const DimId d : dims) out += context.graph.name(d) + ',';
  };
  for (const Operand& in : node.inputs) add(in.dims);
  for (const TensorId t : node.outputs) add(context.graph.tensors[t].dims);
  for (const WeightUse& use : node.weights) add(use.dims);
  return out;
}

/// Fills the set of kernels, one per group of nodes that run together, named by its first node. Most kernels have one
/// node.
void fill_kernels(FillContext& context) {
  ElementTable out;
  for (const NodeId id : context.graph.nodes.ids()) {
    if (context.notes.kernels[id] != id) continue;
    context.kernels.emplace(id, static_cast<WordId>(context.kernels.size()));
    out.row(context.graph.nodes[id].name);
    out.belongs(kSegmentSet, context.graph.nodes[id].segment);
    out.field("name", context.text(context.graph.nodes[id].name));
  }
  context.evaluator().set_elements(kKernelSet, out.take());
}

/// Returns the elements on one rank of the output that a layer passes to the next layer or segment; 0 if neither
/// exists.
Scalar passed_elements(FillContext& context, SegmentId segment) {
  const Segment& s = context.graph.segments[segment];
  const bool read =
      std::any_of(context.graph.segments.begin(), context.graph.segments.end(), [&](const Segment& other) { return contains(other.sources, s.output); });
  if (!s.output || (!read && !s.repeat)) return integer(0);
  return context.sizes->elements(context.graph.tensors[s.output].dims, context.notes.inputs[s.output]);
}

}  // namespace

/// Fills the sets of components, segments and kernels. Evaluates the number of layers of each segment and stores it in
/// `context.layers`. Consecutive parts of one segment have the same `Segment::whole`, the name of the undivided
/// segment. `part_sum` adds up their layers; at the last part, the sum is checked against the rounds of the segment's
/// group. `context.layers_of_whole` gets the same sum by name. Returns false, with errors, if a number of layers is
/// impossible.
bool fill_segments(FillContext& context) {
  fill_components(context);
  ElementTable out;
  Scalar part_sum;  // Layers of the parts so far.
  for (const SegmentId s : context.graph.segments.ids()) {
    out.row(context.graph.segments[s].name);
    out.field("name", context.text(context.graph.segments[s].name));
    Value layers = count_value(integer(1));
    if (context.run.repeats[s] != nullptr) {
      const std::optional<Value> all = whole_layers(context, s, *context.run.repeats[s]);
      if (!all) return false;
      layers = *all;
    }
    const bool continues = s > SegmentId(0) && context.graph.segments[s].whole == context.graph.segments[s - 1].whole;
    const bool ends = !context.graph.segments.has(s + 1) || context.graph.segments[s].whole != context.graph.segments[s + 1].whole;
    part_sum = continues ? context.sizes->add(part_sum, layers.scalar) : layers.scalar;
    if (ends && context.run.rounds[s] != nullptr && !fills_rounds(context, s, part_sum)) return false;
    context.layers.push_back(layers.scalar);
    std::optional<double>& layers_of_whole = context.layers_of_whole.try_emplace(context.graph.segments[s].whole, 0).first->second;
    if (layers_of_whole) layers_of_whole = layers.scalar.constant() ? std::optional(*layers_of_whole + layers.scalar.value) : std::nullopt;
    out.field("layers", layers);
    out.field("handed", count_value(passed_elements(context, s)));
    out.field("repeated", truth_value(context.run.repeats[s] != nullptr));
  }
  context.evaluator().set_elements(kSegmentSet, out.take());
  fill_kernels(context);
  return true;
}

/// Returns whether the operator is a document of the user and not of the library.
bool is_own(const Operator& op) {
  static const std::string kLibrary = shipped_folder().string() + "/";
  return !origin_of(op.span).starts_with(kLibrary);
}

/// Returns the inputs without a gradient of an operator that has gradients of others, although their tensors have one: the
/// nodes before them get no gradient through this node.
std::vector<std::string> inputs_without_gradient(const FillContext& context, const Node& node) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < node.inputs.size() && i < node.op->inputs.size(); ++i) {
    const Tensor& tensor = context.graph.tensors[node.inputs[i].tensor];
    const std::string& name = node.op->inputs[i].name;
    const auto is_listed = [&](const auto& gradient) { return gradient.first == name; };
    if (!tensor.data && !tensor.constant && std::none_of(node.op->gradients.begin(), node.op->gradients.end(), is_listed)) out.push_back(name);
  }
  return out;
}

/// Fills the set of nodes: one row per operator of the graph, with its segment, kernel and component. Backward runs a
/// `recomputed` node again, later calls can skip a node that runs `once`, and the first node of a kernel `leads`.
/// `replicas` counts ranks with the same work; `repeats` counts only those along axes that a further rule could split,
/// with the names of the axes and dimensions. `own` and `lacks_gradient` help to find mistakes in operators of the user.
/// `kind` distinguishes nodes of one name by operator and dimensions.
void fill_nodes(FillContext& context) {
  ElementTable out;
  for (const NodeId id : context.graph.nodes.ids()) {
    const Node& node = context.graph.nodes[id];
    out.row(node.name);
    out.kind(signature(context, node));
    out.belongs(kSegmentSet, node.segment);
    out.belongs(kKernelSet, context.kernel(id));
    out.belongs(kComponentSet, context.component(id));
    out.field("name", context.text(node.name));
    const std::string& segment = context.graph.segments[node.segment].name;
    // The label is the name without the prefix of the segment.
    out.field(
        "label",
        context.text(node.name.substr(std::min(node.name.size(), node.name.compare(0, segment.size() + 1, segment + ".") == 0 ? segment.size() + 1 : 0))));
    out.field("operator", context.text(node.op->name));
    out.field("recomputed", truth_value(context.notes.recomputed[id] != 0));
    out.field("once", truth_value(context.notes.once[id] != 0));
    out.field("leads", truth_value(context.notes.kernels[id] == id));
    out.field("has_agrad", truth_value(has_agrad(context.graph, context.notes, id)));
    out.field("has_wgrad", truth_value(has_wgrad(context.graph, context.notes, id)));
    out.field("weighted", truth_value(!node.weights.empty()));
    const bool own = is_own(*node.op);
    out.field("own", truth_value(own));
    out.field("lacks_gradient", context.text(own ? join(inputs_without_gradient(context, node), ", ") : ""));
    out.field("replicas", count_value(context.sizes->degrees(unused(context, id))));
    const Repeated again = repeated(context, id);
    out.field("repeats", count_value(context.sizes->degrees(again.axes)));
    out.field("repeated_over", context.text(context.sizes->named(again.axes)));
    out.field("unspoken", context.text(join(again.dimensions, ", ")));
    add_marks(out, kNodeSet, true, context.notes.nodes[id].marks, context.run.marks, context.inquiry);
  }
  context.evaluator().set_elements(kNodeSet, out.take());
}

}  // namespace opledger
