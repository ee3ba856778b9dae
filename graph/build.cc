#include "graph/build.h"

#include <fmt/format.h>

#include <string_view>
#include <unordered_map>

#include "graph/segment_builder.h"
#include "graph/weight_linker.h"

namespace opledger {

namespace {

/// Returns the segments whose conditions hold; reports repeated names.
std::vector<const SegmentSpec*> active_segments(const Model& model, Expander& expander, Diagnostics& diagnostics) {
  std::vector<const SegmentSpec*> active;
  std::unordered_map<std::string_view, const SegmentSpec*> by_name;
  for (const SegmentSpec& spec : model.graph) {
    if (!expander.holds(spec.when)) continue;
    const auto [same, fresh] = by_name.emplace(spec.name, &spec);
    if (fresh)
      active.push_back(&spec);
    else
      diagnostics.error(spec.span, fmt::format("two segments are called `{}`", spec.name)).note(same->second->span, "the first one");
  }
  return active;
}

/// Checks that the last segment of each round yields the input of the group's first segment. In a row of layers, the
/// first segment of a round reads the last segment of the previous round.
void check_rounds(const Graph& graph, const DimensionTable& dimensions, Diagnostics& diagnostics) {
  for (SegmentId first(0), last; graph.segments.has(first); first = last + 1) {
    const int group = graph.segments[first].group;
    for (last = first; group >= 0 && graph.segments.has(last + 1) && graph.segments[last + 1].group == group;) ++last;
    const Segment &start = graph.segments[first], &end = graph.segments[last];
    if (group < 0 || !end.output || start.inputs.empty()) continue;
    const Tensor &input = graph.tensors[start.inputs.front()], &output = graph.tensors[end.output];
    if (same_set(input.dims, output.dims)) continue;
    diagnostics.error(end.span, fmt::format("segment `{}` ends a round of its group, but its output `{}` {} can't be the input `{}` {} of `{}`", end.name,
                                            output.label, dimensions.text(output.dims), input.label, dimensions.text(input.dims), start.name));
  }
}

}  // namespace

/// All segments are cut into parts first. Then the parts are built in the order of the model, one at a time: expanded
/// down to operators, resolved and ordered. Each segment only refers to earlier ones. Tied weights may refer to later
/// segments, so weights are linked after all segments exist. One run reports the errors of all segments, unless the
/// graph has too many nodes: then it ends at once, because each later segment would repeat that error.
std::optional<Graph> build_graph(const Model& model, const OperatorLibrary& operators, const Condition& holds, Diagnostics& diagnostics,
                                 const std::vector<LayerPart>& parts) {
  std::size_t errors = diagnostics.errors();
  Graph graph;
  DimensionTable dimensions(model, graph, diagnostics);
  Expander expander(model, operators, holds, dimensions);
  SegmentBuilder builder(graph, dimensions, model);
  std::deque<Expansion> expansions;
  for (SegmentPlan& plan : cut_segments(active_segments(model, expander, diagnostics), parts, diagnostics)) {
    Expansion& expansion = expansions.emplace_back();
    expansion.segment = graph.segments.next();
    expansion.spec = plan.spec;
    expansion.plan = std::move(plan);
    expander.expand(expansion);
    if (expander.is_full()) return std::nullopt;
    if (!expansion.scopes.empty()) builder.build(expansion);
  }
  check_rounds(graph, dimensions, diagnostics);
  WeightLinker(graph, dimensions, expansions).link();
  dimensions.add_groups(model);
  graph.requirements.insert(graph.requirements.end(), expander.requirements().begin(), expander.requirements().end());
  graph.rebound = expander.rebound();
  graph.requirements.insert(graph.requirements.end(), model.constraints.begin(), model.constraints.end());
  if (expander.failed() || diagnostics.errors() != errors) return std::nullopt;
  return graph;
}

}  // namespace opledger
