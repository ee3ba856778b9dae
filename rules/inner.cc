#include "expr/printer.h"
#include "graph/signature.h"
#include "rules/emit.h"
#include "rules/forward.h"

namespace opledger {

namespace {

/// Returns a transfer that belongs to the node alone: `decoder.norm.square`.
Transfer own_transfer(const Derivation& d, NodeId id, Phase phase, const std::string& name, const std::string& prefix = {}) {
  const Node& node = d.graph.nodes[id];
  Transfer transfer;
  transfer.phase = phase;
  transfer.name = prefix + node.name + "." + name;
  transfer.label = prefix + node.label + "." + name;
  transfer.reader = id;
  transfer.segment = node.segment;
  transfer.fixed_width = kStateBytes;
  return transfer;
}

/// Adds a send between neighbors along `axes`.
void send(Derivation& d, Transfer transfer, NodeId id, const AxisList& axes) {
  transfer.kind = Collective::point_to_point;
  transfer.axes = axes;
  transfer.readers = {id};
  transfer.message = operand(d.of(id), transfer.dims);
  transfer.rule = rule_for(d.of(id), axes.front());
  d.out.transfers.push_back(std::move(transfer));
}

/// Adds the exchange of margins. An operator with a margin (`halo`) reads the last n entries for each entry. If the
/// dimension is split, it also reads entries just outside of a rank's own part. Ranks send their last entries to their
/// neighbor in forward, and the gradients of received entries back in backward. The message has `margin` entries along
/// the dimension, so `dims` lacks the dimension itself. Nothing is sent if the dimension is not split.
void derive_margins(Derivation& d, NodeId id, Phase phase) {
  const Node& node = d.graph.nodes[id];
  for (const Operator::Halo& halo : node.op->halo) {
    DimId dimension = d.graph.dimension(halo.dimension);
    AxisList axes = d.of(id).of(dimension);
    if (axes.empty()) continue;
    for (const Operand& input : node.inputs) {
      if (!contains(input.dims, dimension)) continue;
      Transfer transfer = tensor_transfer(d, phase, input.tensor, {id, {}});
      transfer.segment = node.segment;
      transfer.gradient = phase == Phase::agrad;
      name_tensors(d, transfer, {input.tensor});
      transfer.dims = without(input.dims, {dimension});
      transfer.from = transfer.to = dimension;
      transfer.extent = to_source(*halo.width);
      transfer.margin = halo.width;
      send(d, std::move(transfer), id, axes);
    }
  }
}

/// Adds the sends of a running state, which each rank receives from the previous one.
void derive_states(Derivation& d, NodeId id, Phase phase) {
  for (const auto& [name, formula] : d.graph.nodes[id].op->carry) {
    DimId dimension = d.graph.dimension(name);
    AxisList axes = d.of(id).of(dimension);
    std::optional<SizedDims> state = axes.empty() ? std::nullopt : node_dims(d.graph, id, *formula);
    if (!state) continue;
    Transfer transfer = own_transfer(d, id, phase, "state", phase == Phase::agrad ? "d " : "");
    transfer.gradient = phase == Phase::agrad;
    transfer.dims = state->dims;
    transfer.times = state->times;
    transfer.from = transfer.to = dimension;
    send(d, std::move(transfer), id, axes);
  }
}

/// Adds the reductions of statistics: values reduced over a dimension that the operator needs before its result, such
/// as the sum of squares of a norm or a maximum of scores. If the dimension is split, each rank has the value of its
/// own part. A small all-reduce over the axes of the dimension combines the values. Operators declare statistics by
/// phase; recomputation repeats those of forward.
void derive_statistics(Derivation& d, NodeId id, Phase phase) {
  const char* declared = to_string(phase == Phase::recompute ? Phase::forward : phase);
  for (const auto& [name, statistics] : d.graph.nodes[id].op->inner) {
    AxisList axes;
    for (DimId dimension : named_dims(d.graph, id, name)) {
      const AxisList& more = d.of(id).of(dimension);
      axes.insert(axes.end(), more.begin(), more.end());
    }
    if (axes.empty()) continue;
    for (const Statistic& statistic : statistics) {
      std::optional<SizedDims> size = statistic.phase == declared ? node_dims(d.graph, id, *statistic.dims) : std::nullopt;
      if (!size) continue;
      Transfer transfer = own_transfer(d, id, phase, statistic.name);
      transfer.dims = size->dims;
      transfer.times = size->times;
      Placement reduced = operand(d.of(id), size->dims);
      emit(d, transfer, transition(d.grid, {reduced.shard, axes}, reduced), {id, {}}, {});
    }
  }
}

}  // namespace

void derive_inner(Derivation& d, NodeId node, Phase phase) {
  derive_margins(d, node, phase);
  derive_states(d, node, phase);
  derive_statistics(d, node, phase);
}

}  // namespace opledger
