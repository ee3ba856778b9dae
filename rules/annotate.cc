#include "rules/annotate.h"

#include <fmt/format.h>

#include "rules/apply_marks.h"
#include "rules/backward.h"
#include "rules/checks.h"
#include "rules/derivation.h"
#include "rules/forward.h"
#include "rules/fuse.h"
#include "rules/held.h"
#include "rules/place.h"
#include "rules/saved.h"
#include "rules/select.h"
#include "rules/stage_sends.h"
#include "rules/unspoken.h"
#include "rules/weights.h"
#include "rules/words.h"

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
  std::size_t tensors = d.graph.tensors.size();
  d.at_hand.resize(tensors);
  d.kept.resize(tensors);
  d.rebuilt.resize(tensors);
  d.region.assign(d.graph.nodes.size(), false);
  d.dropped.assign(d.graph.nodes.size(), false);
  d.out.recomputed.assign(d.graph.nodes.size(), 0);
  d.out.dropped.assign(d.graph.nodes.size(), 0);
  d.out.kernels.assign(d.graph.nodes.size(), NodeId());
  d.out.inner.assign(tensors, 0);
}

void derive_segment(Derivation& d, const Segment& segment) {
  std::vector<NodeId> nodes;
  for (const NodeId n : segment.nodes()) nodes.push_back(n);
  const auto at_hand = [&](TensorId t) -> std::vector<Placement>& { return d.at_hand[t]; };
  derive_forward(d, segment, Phase::forward, nodes, at_hand);
  bring_home(d, segment, at_hand);
  derive_kernels(d, segment);
  choose_region(d, segment);
  derive_saved(d, segment);
  derive_backward(d, segment);
}

void log(Annotations& out, const std::string& pass, std::size_t count, const char* what) { out.log.push_back(fmt::format("{}: {} {}", pass, count, what)); }

/// All passes over rules that were selected.
void derive(Derivation& d) {
  prepare(d);
  cut_axes(d);
  d.grid = make_grid(d.graph, d.out.mesh, d.rules);
  place(d);
  find_unspoken(d);
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
  derive_held(d);
  derive_marks(d);
  log(d.out, "mark", d.out.marks.size(), "marks");
  check_use(d);
}

}  // namespace

std::optional<Annotations> annotate(const Graph& graph, const Mesh& mesh, const RuleSet& rules, const Condition& holds, const SizeQuestions& sizes,
                                    Diagnostics& diagnostics) {
  std::size_t errors = diagnostics.errors();
  OneRank ones(sizes.one_rank);
  Derivation start{graph, sizes, ones, diagnostics};
  start.out.mesh = mesh;
  start.rules = select(rules, holds, start.out);
  log(start.out, "select", start.out.rules.size(), "rules apply");
  check_lists(start);
  check_words(start, rules);
  for (;;) {
    Diagnostics remarks;
    Derivation d{graph, sizes, ones, remarks, start.rules, start.out};
    derive(d);
    if (ones.found()) continue;
    diagnostics.append(std::move(remarks));
    if (diagnostics.errors() > errors) return std::nullopt;
    return std::move(d.out);
  }
}

}  // namespace opledger
