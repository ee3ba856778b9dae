#include "rules/tensor_derivation.h"

#include <utility>

#include "rules/apply_marks.h"
#include "rules/backward.h"
#include "rules/derive.h"
#include "rules/forward.h"
#include "rules/place.h"
#include "rules/saved.h"

namespace opledger {

/// A finished derivation, of which parts are repeated.
struct TensorDerivation::State {
  explicit State(const SizeQueries& queries) : sizes(queries), ones(sizes.one_rank) {}

  SizeQueries sizes;
  OneRank ones;
  Diagnostics remarks;
  std::unique_ptr<Derivation> d;
};

TensorDerivation::TensorDerivation(std::unique_ptr<State> state) : state_(std::move(state)) {}
TensorDerivation::~TensorDerivation() = default;

std::unique_ptr<TensorDerivation> TensorDerivation::begin(const Graph& graph, const Mesh& mesh, const RuleSet& rules, const Condition& holds,
                                                          const SizeQueries& sizes, Diagnostics& diagnostics) {
  auto state = std::make_unique<State>(sizes);
  const std::size_t errors = diagnostics.errors();
  // Every axis is queried, so that no later placement finds another axis with a single rank.
  do {
    state->d = derive_graph({graph, mesh, rules, holds, state->sizes}, state->ones, state->remarks, diagnostics);
    state->ones.query_all(state->d->out.mesh, state->d->grid.order);
  } while (state->ones.must_restart());
  if (state->remarks.has_errors()) diagnostics.append(std::move(state->remarks));
  state->remarks = {};
  if (diagnostics.errors() > errors) return nullptr;
  return std::unique_ptr<TensorDerivation>(new TensorDerivation(std::move(state)));
}

const Annotations& TensorDerivation::annotations() const { return state_->d->out; }
const RuleSet& TensorDerivation::rules() const { return state_->d->rules; }
AxisList TensorDerivation::axes(const std::string& name) const { return state_->d->axes({name}); }

NodePlacement TensorDerivation::place(NodeId node, const NodeRule& rule) {
  std::vector<const NodeRule*>& rules = state_->d->node_rules[node];
  std::vector<const NodeRule*> written = std::exchange(rules, {&rule});
  NodePlacement out = opledger::place(*state_->d, {node, {}});
  rules = std::move(written);
  return out;
}

NodePlacement TensorDerivation::place_boundary(TensorId tensor, const NodeRule& rule) {
  std::vector<NodeRule>& rules = state_->d->rules.nodes;
  std::vector<NodeRule> written = std::exchange(rules, {rule});
  NodePlacement out = opledger::place(*state_->d, {{}, tensor});
  rules = std::move(written);
  return out;
}

void TensorDerivation::set(NodeId node, NodePlacement placement) { state_->d->of(node) = std::move(placement); }

void TensorDerivation::set_boundary(TensorId tensor, NodePlacement placement) {
  state_->d->out.inputs[tensor] = operand(placement, state_->d->tensor(tensor).dims);
  state_->d->boundaries[tensor] = std::move(placement);
}

std::vector<NodeId> TensorDerivation::readers(TensorId tensor) const {
  std::vector<NodeId> out;
  for (const auto& [node, input] : state_->d->readers[tensor]) {
    if (out.empty() || out.back() != node) out.push_back(node);
  }
  return out;
}

std::vector<Placement> TensorDerivation::produced(NodeId node, TensorId tensor) const {
  const Derivation& d = *state_->d;
  const DimList& dims = d.tensor(tensor).dims;
  return {output_placement(d, node, dims, d.of(node).summed), operand(d.of(node), dims), {{}, d.of(node).consumed}, {{}, d.of(node).passed}};
}

std::vector<Placement> TensorDerivation::read(NodeId node, TensorId tensor) const {
  const Derivation& d = *state_->d;
  std::vector<Placement> out;
  const std::vector<Operand>& inputs = d.graph.nodes[node].inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].tensor != tensor) continue;
    out.push_back(required_placement(d, node, i));
    out.push_back(output_placement(d, node, inputs[i].dims, d.of(node).passed).renamed(reversed(inputs[i].renames)));
  }
  return out;
}

TensorDerivation::Effects TensorDerivation::derive(TensorId t) {
  Derivation& d = *state_->d;
  const Tensor& tensor = d.tensor(t);
  const Segment& segment = d.graph.segments[tensor.segment];
  const std::vector<NodeId> readers = this->readers(t);
  std::vector<NodeId> nodes = readers;
  if (tensor.producer) nodes.insert(nodes.begin(), tensor.producer);
  std::vector<Transfer> transfers = std::exchange(d.out.transfers, {});
  std::vector<Saved> saved = std::exchange(d.out.saved, {});
  d.saved[t].clear(), d.rebuilt[t].clear();
  d.available[t] = {tensor.producer ? produced(tensor.producer, t).front() : d.out.inputs[t]};
  const auto copies = [&](TensorId) -> std::vector<Placement>& { return d.available[t]; };
  deliver_tensor(d, segment, Phase::forward, t, readers, copies);
  if (t == segment.output) deliver_output(d, segment, copies);
  derive_saved(d, segment, nodes, [t](TensorId other) { return other == t; });
  const bool agrees = derive_backward(d, segment, t, readers);
  return {std::exchange(d.out.transfers, std::move(transfers)), std::exchange(d.out.saved, std::move(saved)), !agrees};
}

Annotations TensorDerivation::with(std::vector<Transfer> transfers, std::vector<Saved> saved) {
  Derivation& d = *state_->d;
  Annotations before = d.out;
  d.out.transfers = std::move(transfers), d.out.saved = std::move(saved);
  d.out.marks.clear();
  derive_marks(d);
  return std::exchange(d.out, std::move(before));
}

}  // namespace opledger
