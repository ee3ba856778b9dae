#include "graph/build.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/segment_builder.h"
#include "graph/weight_linker.h"

namespace opledger {

namespace {

/// The segments that this run has, their names checked.
std::vector<const SegmentSpec*> active_segments(const Model& model, Expander& expander, Diagnostics& diagnostics) {
  std::vector<const SegmentSpec*> active;
  for (const SegmentSpec& spec : model.graph) {
    if (!expander.holds(spec.when)) continue;
    auto same = std::find_if(active.begin(), active.end(), [&](const SegmentSpec* other) { return other->name == spec.name; });
    if (same == active.end()) {
      active.push_back(&spec);
      continue;
    }
    auto& error = diagnostics.error(spec.span, fmt::format("two segments are called `{}`", spec.name));
    error.notes.push_back({Severity::note, (*same)->span, "the first one", {}});
  }
  return active;
}

}  // namespace

std::optional<Graph> build_graph(const Model& model, const OperatorLibrary& operators, const Condition& holds, Diagnostics& diagnostics) {
  std::size_t errors = diagnostics.errors();
  Graph graph;
  DimensionTable dimensions(model, graph, diagnostics);
  Expander expander(model, operators, holds, dimensions);
  SegmentBuilder builder(graph, dimensions, model);
  std::deque<Expansion> expansions;
  for (const SegmentSpec* spec : active_segments(model, expander, diagnostics)) {
    Expansion& expansion = expansions.emplace_back();
    expansion.segment = static_cast<SegmentId>(graph.segments.size());
    expansion.spec = spec;
    expander.expand(expansion);
    if (!expansion.scopes.empty()) builder.build(expansion);
  }
  WeightLinker(graph, dimensions, expansions).link();
  dimensions.add_groups(model);
  if (expander.failed() || diagnostics.errors() != errors) return std::nullopt;
  return graph;
}

}  // namespace opledger
