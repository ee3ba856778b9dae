#include "graph/segment_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"
#include "graph/traverse.h"

namespace opledger {

namespace {

/// Integers from the data loader are 64 bits wide.
ExprPtr data_width() {
  auto width = std::make_shared<Expr>();
  width->kind = Expr::Kind::number;
  width->number = 8;
  width->dimension.exponents[0] = 1;
  width->text = "8 byte";
  return width;
}

}  // namespace

void SegmentBuilder::build(Expansion& expansion) {
  // Copies the properties of the segment, then adds its inputs, its nodes and its output. Nodes of a segment are
  // consecutive in the graph, so two numbers bound them. `state_` has the tensors of the segment while nodes refer to
  // them.
  Segment segment;
  segment.name = expansion.plan.name;
  segment.whole = expansion.spec->name;
  segment.single = expansion.spec->single();
  segment.even = expansion.plan.even;
  segment.block = expansion.scopes.front().block;
  segment.rounds = expansion.spec->rounds;
  segment.group = expansion.spec->group;
  segment.repeat = expansion.plan.repeat;
  segment.span = expansion.spec->span;
  state_ = SegmentState{};
  state_.expansion = &expansion;
  state_.segment = expansion.segment;
  state_.name = segment.name;
  state_.outputs.resize(expansion.nodes.size());
  add_inputs(expansion, segment);
  segment.first = graph_.nodes.next();
  add_nodes(expansion);
  segment.last = graph_.nodes.next();
  set_output(expansion, segment);
  graph_.segments.push_back(std::move(segment));
}

/// Adds a tensor for each input of the block: activations, which come from earlier segments, then data from the data
/// loader, which has no source. `state_.inputs` has an entry for every input, so that positions match the block's; an
/// unusable input has none and is left out of the segment.
void SegmentBuilder::add_inputs(const Expansion& expansion, Segment& segment) {
  const Scope& scope = expansion.scopes.front();
  auto found = sources(expansion);
  for (std::size_t i = 0; i < scope.block->inputs.size(); ++i) {
    const TensorSpec& spec = scope.block->inputs[i];
    TensorId input = add_input(scope, spec, false);
    state_.inputs.push_back(input);
    if (!input) continue;
    segment.inputs.push_back(input);
    segment.sources.push_back(found[i].source);
    if (found[i].source) check_source(found[i].edge, state_.name, spec, found[i].source, input, expansion.spec->span);
  }
  for (const TensorSpec& spec : scope.block->data) {
    TensorId input = add_input(scope, spec, true);
    state_.inputs.push_back(input);
    if (!input) continue;
    segment.inputs.push_back(input);
    segment.sources.emplace_back();
  }
}

/// Adds the tensor of one input with the dimensions that the block declares, by the names that the segment
/// substitutes. `data`: the input comes from the data loader, with integers and no gradient. Returns none, with an
/// error, for an unknown or repeated dimension or too many dimensions.
TensorId SegmentBuilder::add_input(const Scope& scope, const TensorSpec& spec, bool data) {
  Tensor tensor;
  tensor.label = spec.name;
  tensor.name = state_.name + "." + spec.name;
  tensor.segment = state_.segment;
  tensor.data = tensor.constant = data;
  if (data) tensor.width = data_width();
  for (std::size_t i = 0; i < spec.dims.size(); ++i) {
    auto d = dimensions_.intern(scope.dimension(spec.dims[i]), spec.dim_spans[i]);
    if (!d) return {};
    if (contains(tensor.dims, *d)) {
      diagnostics_.error(spec.dim_spans[i], fmt::format("input `{}` of block `{}` has dimension `{}` twice", spec.name, scope.block->name, spec.dims[i]));
      return {};
    }
    tensor.dims.push_back(*d);
  }
  if (tensor.dims.size() > kMaxTensorDimensions) {
    diagnostics_.error(spec.span, fmt::format("input `{}` of block `{}` has more than {} dimensions", spec.name, scope.block->name, kMaxTensorDimensions));
    return {};
  }
  return graph_.tensors.add(std::move(tensor));
}

/// Returns the source of each activation that the block reads. The first input counts as left out if the segment names
/// all its inputs by port, does not name the first, and names fewer than the block has. Its source is then the output
/// of the previous segment. A later part of a cut segment reads the part before it. The entries have no source after an
/// error. They point to edges in `implied_`: `edges` is a local copy, which may be changed here.
std::vector<SegmentBuilder::Input> SegmentBuilder::sources(const Expansion& expansion) {
  const Block& block = *expansion.scopes.front().block;
  const SegmentSpec& spec = *expansion.spec;
  std::vector<Input> result(block.inputs.size());
  std::vector<InputSpec> edges = spec.inputs;
  bool by_position = std::any_of(edges.begin(), edges.end(), [](const InputSpec& edge) { return edge.port.empty(); });
  bool names_first = block.inputs.empty() || by_position ||
                     std::any_of(edges.begin(), edges.end(), [&](const InputSpec& edge) { return edge.port == block.inputs.front().name; });
  if (edges.size() < block.inputs.size() && !names_first) {
    if (graph_.segments.empty()) {
      diagnostics_.error(spec.span, fmt::format("segment `{}` needs `{}`, but no segment comes before it", spec.name, block.inputs.front().name));
      return result;
    }
    InputSpec implied;
    implied.port = block.inputs.front().name;
    implied.tensor = graph_.segments.back().whole;
    implied.span = implied.port_span = spec.span;
    edges.push_back(std::move(implied));
  }
  if (expansion.plan.continues) continue_part(block, spec, edges);
  Ports ports{fmt::format("segment `{}`", spec.name), fmt::format("block `{}`", block.name), {}};
  for (const TensorSpec& input : block.inputs) ports.names.push_back(input.name);
  auto matched = match_inputs(edges, ports, spec.span, diagnostics_);
  if (!matched) return result;
  for (std::size_t i = 0; i < result.size(); ++i) {
    implied_.push_back(*(*matched)[i]);
    result[i] = find_source(implied_.back(), spec.name);
  }
  return result;
}

/// Lets a later part of a cut segment read the part before it. Other inputs stay as written.
void SegmentBuilder::continue_part(const Block& block, const SegmentSpec& spec, std::vector<InputSpec>& edges) {
  if (block.inputs.empty()) return;  // `match_inputs` reports every edge.
  for (InputSpec& edge : edges) {
    if (!edge.port.empty() && edge.port != block.inputs.front().name) continue;
    edge.tensor = spec.name;
    edge.renames.clear();
    return;
  }
}

/// Returns the output of the earlier segment that an edge names; `reader` is the segment that reads it. Segments are
/// searched from the last one, so that of several parts of a segment the last part is found. Returns no source, with an
/// error, for an unknown or later segment, or one without output.
SegmentBuilder::Input SegmentBuilder::find_source(const InputSpec& edge, const std::string& reader) {
  for (auto found = graph_.segments.rbegin(); found != graph_.segments.rend(); ++found) {  // The last one of several parts.
    const Segment& segment = *found;
    if (segment.whole != edge.tensor) continue;
    if (!segment.output) {
      // Unless nodes failed, this segment's operators have no output.
      if (!diagnostics_.has_errors()) diagnostics_.error(edge.span, fmt::format("segment `{}` reads segment `{}`, which has no output", reader, segment.name));
      return {};
    }
    return {segment.output, &edge};
  }
  bool later = std::any_of(model_.graph.begin(), model_.graph.end(), [&](const SegmentSpec& other) { return other.name == edge.tensor; });
  if (later) {
    diagnostics_.error(edge.span, fmt::format("segment `{}` reads segment `{}`, which does not come before it", reader, edge.tensor));
  } else {
    std::vector<std::string> names;
    for (const Segment& segment : graph_.segments) names.push_back(segment.whole);
    diagnostics_.error(edge.span, fmt::format("unknown segment `{}`{}", edge.tensor, suggestion(edge.tensor, names)));
  }
  return {};
}

/// Checks that the source's dimensions, after renames, are the input's. A rename between segments adds requirements on
/// sizes.
void SegmentBuilder::check_source(const InputSpec* edge, const std::string& name, const TensorSpec& spec, TensorId source, TensorId input, const Span& span) {
  DimList found = graph_.tensors[source].dims;
  for (const RenameSpec& rename : edge->renames) {
    auto a = dimensions_.intern(rename.from, edge->span), b = dimensions_.intern(rename.to, edge->span);
    if (!a || !b) return;
    dimensions_.renamed(*a, *b, rename, edge->tensor, {});
    std::replace(found.begin(), found.end(), *a, *b);
  }
  const DimList& expected = graph_.tensors[input].dims;
  if (same_set(found, expected)) return;
  diagnostics_.error(edge->span.known() ? edge->span : span, fmt::format("input `{}` of segment `{}` has dimensions {}, but segment `{}` gives {}", spec.name,
                                                                         name, dimensions_.text(expected), edge->tensor, dimensions_.text(found)));
}

/// Adds the nodes of the segment in topological order; documents may list them in any order. The operands of all nodes
/// are resolved first, which yields the arcs from producers to readers. `order_by_arcs` then sorts the nodes; among
/// ready nodes the first in the documents comes first. A cycle is reported with its path, and no node is added. A node
/// after an error is skipped, and so are its readers, which find no tensor.
void SegmentBuilder::add_nodes(Expansion& expansion) {
  Resolver resolver(expansion, diagnostics_);
  IdVector<PendingId, std::optional<std::vector<Source>>> sources;
  std::vector<Arc> arcs;
  for (const PendingId id : expansion.nodes.ids()) {
    sources.push_back(expansion.nodes[id].op ? resolver.inputs(expansion.nodes[id]) : std::nullopt);
    if (!sources.back()) continue;
    for (const Source& source : *sources.back()) {
      if (source.node) arcs.emplace_back(source.node.number(), id.number());
    }
  }
  Ordering ordering = order_by_arcs(expansion.nodes.size(), arcs);
  if (!ordering.cycle.empty()) {
    std::vector<std::string> path;
    for (std::int32_t i : ordering.cycle) path.push_back(expansion.nodes[PendingId(i)].label);
    diagnostics_.error(expansion.nodes[PendingId(ordering.cycle.front())].spec->span, fmt::format("cycle: {}", join(path, " -> ")));
    return;
  }
  NodeBuilder builder(graph_, dimensions_, state_);
  for (std::int32_t i : ordering.order) {
    const PendingId id(i);
    if (sources[id]) builder.build(id, *sources[id]);
  }
}

void SegmentBuilder::set_output(Expansion& expansion, Segment& segment) {
  Resolver resolver(expansion, diagnostics_);
  auto output = resolver.output(expansion.scopes.front());
  if (!output) return;
  if (output->input >= 0) {
    const Block& block = *segment.block;
    diagnostics_.error(block.output.empty() ? block.span : block.output_span, fmt::format("the output of segment `{}` is one of its inputs", segment.name));
    return;
  }
  if (!output->node) return;
  const auto& tensors = state_.outputs[output->node];
  if (!tensors.empty()) segment.output = tensors[output->port];
  check_repeat(segment);
}

/// Checks that a repeated segment's output can be its own first input, since each layer reads the one before it.
void SegmentBuilder::check_repeat(const Segment& segment) {
  if (!state_.expansion->spec->repeat || !segment.output || segment.block->inputs.empty() || segment.inputs.empty()) return;
  const Tensor &input = graph_.tensors[segment.inputs.front()], &output = graph_.tensors[segment.output];
  if (same_set(input.dims, output.dims)) return;
  diagnostics_.error(segment.span, fmt::format("segment `{}` repeats, but its output `{}` {} can't be its input `{}` {}", segment.name, output.label,
                                               dimensions_.text(output.dims), input.label, dimensions_.text(input.dims)));
}

}  // namespace opledger
