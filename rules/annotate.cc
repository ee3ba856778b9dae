#include "rules/annotate.h"

#include <fmt/format.h>

#include "rules/apply_marks.h"
#include "rules/backward.h"
#include "rules/cached.h"
#include "rules/checks.h"
#include "rules/derive.h"
#include "rules/forward.h"
#include "rules/fuse.h"
#include "rules/missing_names.h"
#include "rules/place.h"
#include "rules/saved.h"
#include "rules/select.h"
#include "rules/stage_sends.h"
#include "rules/unassigned.h"
#include "rules/weights.h"

namespace opledger {

namespace {

void find_readers(Derivation& d) {
  d.readers.resize(d.graph.tensors.size());
  for (const NodeId n : d.graph.nodes.ids()) {
    const Node& node = d.graph.nodes[n];
    for (std::size_t i = 0; i < node.inputs.size(); ++i) d.readers[node.inputs[i].tensor].emplace_back(n, i);
  }
}

void prepare(Derivation& d) {
  find_readers(d);
  d.node_rules = d.index.by_node(d.rules.nodes);
  std::size_t tensors = d.graph.tensors.size();
  d.available.resize(tensors);
  d.saved.resize(tensors);
  d.rebuilt.resize(tensors);
  d.region.assign(d.graph.nodes.size(), false);
  d.dropped.assign(d.graph.nodes.size(), false);
  d.out.recomputed.assign(d.graph.nodes.size(), 0);
  d.out.dropped.assign(d.graph.nodes.size(), 0);
  d.out.kernels.assign(d.graph.nodes.size(), NodeId());
  d.out.inner.assign(tensors, 0);
}

/// Runs the passes of one segment. Kernels need the transfers of forward, the region needs kernels, and backward needs
/// the saved tensors, so the order is fixed.
void derive_segment(Derivation& d, const Segment& segment) {
  std::vector<NodeId> nodes;
  for (const NodeId n : segment.nodes()) nodes.push_back(n);
  const auto available = [&](TensorId t) -> std::vector<Placement>& { return d.available[t]; };
  derive_forward(d, segment, Phase::forward, nodes, available);
  deliver_output(d, segment, available);
  derive_kernels(d, segment);
  choose_region(d, segment);
  derive_saved(d, segment);
  derive_backward(d, segment);
}

void log(Annotations& out, const std::string& pass, std::size_t count, const char* unit) { out.log.push_back(fmt::format("{}: {} {}", pass, count, unit)); }

/// Runs all passes over the selected rules. The order follows from their inputs: axes are cut before nodes are placed,
/// gradients need the trained weights, and segments need both. Weights need the recomputed nodes of all segments.
/// Marks apply to all transfers, and so come after the last pass that adds some.
void derive(Derivation& d) {
  prepare(d);
  cut_axes(d);
  d.grid = make_grid(d.graph, d.out.mesh, d.rules);
  place(d);
  find_unassigned(d);
  log(d.out, "place", d.out.nodes.size(), "nodes placed");
  find_trained(d);
  find_gradients(d);
  for (const Segment& segment : d.graph.segments) derive_segment(d, segment);
  log(d.out, "reshard", d.out.transfers.size(), "transfers of activations and gradients");
  log(d.out, "save", d.out.saved.size(), "tensors kept for backward");
  std::size_t before = d.out.transfers.size();
  derive_weights(d);
  log(d.out, "weights", d.out.transfers.size() - before, "transfers of weights and their gradients");
  before = d.out.transfers.size();
  derive_stages(d);
  log(d.out, "stages", d.out.transfers.size() - before, "transfers between stages");
  find_once(d);
  derive_cached(d);
  derive_marks(d);
  log(d.out, "mark", d.out.marks.size(), "marks");
  check_use(d);
}

}  // namespace

std::unique_ptr<Derivation> derive_graph(const DerivationSources& from, OneRank& ones, Diagnostics& remarks, Diagnostics& diagnostics) {
  Derivation start{from.graph, from.sizes, ones, diagnostics};
  start.out.mesh = from.mesh;
  start.rules = select(from.rules, from.holds, start.out);
  add_variants(start.rules, from.graph);
  log(start.out, "select", start.out.rules.size(), "rules apply");
  check_lists(start);
  check_missing_names(start, from.rules);
  // Derives annotations until no more single-rank axis is found. `start` has the selected rules and the mesh, and each
  // attempt works on a copy. `ones` remembers the single-rank axes, which placements leave out. A query can find such
  // an axis late, when earlier placements contain it; the derivation then starts again. Each restart removes at least
  // one axis, so the number of restarts is bounded by the number of axes. Messages of aborted attempts are dropped.
  for (;;) {
    remarks = {};
    auto d = std::make_unique<Derivation>(from.graph, from.sizes, ones, remarks, start.rules, start.out);
    derive(*d);
    if (!ones.must_restart()) return d;
  }
}

std::optional<Annotations> annotate(const Graph& graph, const Mesh& mesh, const RuleSet& rules, const Condition& holds, const SizeQueries& sizes,
                                    Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  OneRank ones(sizes.one_rank);
  Diagnostics remarks;
  const std::unique_ptr<Derivation> d = derive_graph({graph, mesh, rules, holds, sizes}, ones, remarks, diagnostics);
  diagnostics.append(std::move(remarks));
  if (diagnostics.errors() > errors) return std::nullopt;
  return std::move(d->out);
}

}  // namespace opledger
