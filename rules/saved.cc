#include "rules/saved.h"

#include <algorithm>

#include "graph/kernels.h"
#include "rules/emit.h"
#include "rules/reshard.h"

namespace opledger {

namespace {

/// A saved copy of a tensor.
struct Copy {
  Placement placement;
  std::vector<NodeId> readers;
  RuleId rule;
};

struct SavedTensor {
  TensorId tensor;
  std::vector<Copy> copies;
};

/// Saved tensors and their copies, in the order of the first request.
class SavedTensors {
 public:
  void require(TensorId tensor, const Placement& placement, NodeId reader, RuleId rule) {
    auto saved = std::find_if(tensors_.begin(), tensors_.end(), [tensor](const SavedTensor& other) { return other.tensor == tensor; });
    if (saved == tensors_.end()) saved = tensors_.insert(tensors_.end(), {tensor, {}});
    auto copy = std::find_if(saved->copies.begin(), saved->copies.end(), [&](const Copy& other) { return other.placement == placement; });
    if (copy == saved->copies.end()) copy = saved->copies.insert(saved->copies.end(), {placement, {}, rule});
    if (!contains(copy->readers, reader)) copy->readers.push_back(reader);
  }

  /// Drops each copy that a rank can slice out of another copy without communication. Its readers move to the first
  /// remaining such copy.
  void prune(const Grid& grid) {
    // A copy is kept if no other copy of the tensor has it as a slice. Slicing only adds axes to a placement, and a
    // slice of a slice is a slice. Unless two copies are slices of each other, a dropped copy therefore has a kept
    // source; the first such source gets the readers. Pairs are compared, so the cost is quadratic in the few copies
    // of a tensor.
    for (SavedTensor& saved : tensors_) {
      std::vector<Copy> all = saved.copies;
      saved.copies.clear();
      auto source = [&](const Copy& copy) {
        return std::find_if(all.begin(), all.end(),
                            [&](const Copy& other) { return other.placement != copy.placement && slices_to(grid, other.placement, copy.placement); });
      };
      for (const Copy& copy : all) {
        if (source(copy) == all.end()) saved.copies.push_back(copy);
      }
      for (const Copy& copy : all) {
        if (source(copy) == all.end()) continue;
        auto target =
            std::find_if(saved.copies.begin(), saved.copies.end(), [&](const Copy& other) { return slices_to(grid, other.placement, copy.placement); });
        if (target != saved.copies.end()) target->readers.insert(target->readers.end(), copy.readers.begin(), copy.readers.end());
      }
    }
  }

  /// Queries single-rank axes that would make further copies redundant.
  void query(Derivation& d) const {
    for (const SavedTensor& saved : tensors_) {
      for (const Copy& from : saved.copies) {
        for (const Copy& to : saved.copies) {
          if (&from != &to) query_sliced(d, from.placement, to.placement);
        }
      }
    }
  }

  /// Reduces each tensor to one copy, in the placement in which the segment's input arrives. Only called if the whole
  /// segment is recomputed: nothing but its inputs is then saved.
  void save_inputs(const Derivation& d) {
    for (SavedTensor& saved : tensors_) {
      saved.copies.resize(1);
      if (!d.tensor(saved.tensor).data) saved.copies.front().placement = d.out.inputs[saved.tensor];
    }
  }

  /// Appends the copies of all tensors to Annotations::saved, and their placements to `copies`. `rebuilt`:
  /// recomputation restores the copies, so they are not stored. An input that is the same for all layers is stored
  /// once in the placement in which it arrives; its other copies belong to each layer. An entry lists, for each
  /// earlier copy, the axes by which it differs. If one list has no axis of several ranks, both copies are equal, and
  /// the accounting counts the first alone.
  void write(Derivation& d, const Segment& segment, Copies& copies, bool rebuilt) const {
    for (const SavedTensor& saved : tensors_) {
      std::vector<Placement> earlier;
      bool once = !rebuilt && d.graph.same_for_layers(segment, saved.tensor);
      if (once) earlier.push_back(write_once(d, saved));
      for (const Copy& copy : saved.copies) {
        if (once && copy.placement == earlier.front()) continue;
        std::vector<AxisList> distinct;
        for (const Placement& other : earlier) distinct.push_back(differing(other, copy.placement));
        const std::vector<Placement>& available = d.available[saved.tensor];
        const bool as_produced = !available.empty() && available.front().reduced() == copy.placement;
        d.out.saved.push_back({saved.tensor, copy.placement, rebuilt, as_produced, false, copy.readers, std::move(distinct), copy.rule, {}});
        earlier.push_back(copy.placement);
      }
      copies[saved.tensor] = std::move(earlier);
    }
  }

 private:
  /// Saves the tensor as it arrived, once for all layers. Copies in other placements belong to each layer.
  static Placement write_once(Derivation& d, const SavedTensor& saved) {
    const Copy& first = saved.copies.front();
    Placement arrived = d.tensor(saved.tensor).data ? first.placement : d.out.inputs[saved.tensor];
    std::vector<NodeId> readers;
    for (const Copy& copy : saved.copies) readers.insert(readers.end(), copy.readers.begin(), copy.readers.end());
    d.out.saved.push_back({saved.tensor, arrived, false, true, true, std::move(readers), {}, first.rule, {}});
    return arrived;
  }

  std::vector<SavedTensor> tensors_;
};

/// Returns the last rule that matches the node; null: operands are saved as read.
const ActivationRule* activation_rule(const Derivation& d, NodeId node) {
  const ActivationRule* last = nullptr;
  for (const ActivationRule& rule : d.rules.activations) {
    if (d.index.selects(rule.match, node)) last = &rule;
  }
  return last;
}

/// Returns whether an operand can be saved as produced. A partial sum cannot, and all-gathers alone must restore the
/// placement that is read.
bool is_restorable(Derivation& d, const Placement& produced, const Placement& read) {
  AxisList others = produced.partial;
  for (const Step& step : reshard(d, produced, read)) {
    if (step.kind != Collective::all_gather) others.insert(others.end(), step.axes.begin(), step.axes.end());
  }
  d.ones.query_until_several(d.out.mesh, others);
  return others.empty();
}

void require(Derivation& d, SavedTensors& list, TensorId tensor, const Placement& placement, NodeId node) {
  const ActivationRule* rule = activation_rule(d, node);
  const std::vector<Placement>& available = d.available[tensor];
  bool as_produced = rule && rule->sharded && !available.empty() && is_restorable(d, available.front(), placement);
  list.require(tensor, as_produced ? available.front() : placement, node, rule ? rule->id : RuleId());
}

/// Returns whether gradients outside the region read the tensor as recomputation produces it. A partial tensor is saved
/// instead, as no collective would reduce it again.
bool is_recomputed_for_others(Derivation& d, TensorId t) {
  const NodeId producer = d.tensor(t).producer;
  const std::vector<Placement>& available = d.available[t];
  return producer && d.dropped[producer] && !available.empty() && !spread(d, available.front());
}

bool is_produced_inside(const Derivation& d, TensorId t) { return d.tensor(t).producer && d.region[d.tensor(t).producer]; }

bool whole(const Derivation& d, const Segment& segment) {
  return std::all_of(d.region.begin() + segment.first.number(), d.region.begin() + segment.last.number(), [](bool inside) { return inside; });
}

/// Returns whether a tensor of the segment has a gradient.
bool has_backward(const Derivation& d, const Segment& segment) {
  const auto in_backward = [&](NodeId n) {
    const std::vector<TensorId>& outputs = d.graph.nodes[n].outputs;
    return std::any_of(outputs.begin(), outputs.end(), [&](TensorId t) { return d.needs_gradient(t); });
  };
  for (const NodeId n : segment.nodes()) {
    if (in_backward(n)) return true;
  }
  return false;
}

}  // namespace

std::vector<Read> reads_of(const Derivation& d, NodeId id) {
  // An operator declares which of its inputs and outputs the gradient of each input and weight reads. Ports of weights
  // are skipped, because weights are stored anyway. An inner tensor never leaves its kernel, so backward computes it
  // again from the inputs of the kernel (`origins`). One tensor may occur several times.
  const Node& node = d.graph.nodes[id];
  std::vector<Read> reads;
  for (const auto& [target, ports] : node.op->gradients) {
    if (!d.needs_gradient(node, target)) continue;
    const bool of_input = input_port(node, target) >= 0;
    const auto add = [&](NodeId reader, std::size_t in) {
      reads.push_back({reader, of_input, d.graph.nodes[reader].inputs[in].tensor, required_placement(d, reader, in)});
    };
    const auto is_inner = [&](TensorId t) { return d.out.inner[t] != 0; };
    const auto origins = [&](TensorId t) { for_origins(d.graph, d.out, t, add); };
    for (const std::string& port : ports) {
      if (int in = input_port(node, port); in >= 0) {
        const TensorId t = node.inputs[in].tensor;
        if (is_inner(t))
          origins(t);
        else
          add(id, static_cast<std::size_t>(in));
      } else if (int out = output_port(node, port); out >= 0) {
        const TensorId t = node.outputs[out];
        if (is_inner(t))
          origins(t);
        else
          reads.push_back({id, of_input, t, operand(d.of(id), d.tensor(t).dims)});
      }
    }
  }
  return reads;
}

/// Marks the nodes that rules select for recomputation, then finds those that must run again: nodes whose outputs are
/// read (`read`). If a rule says `replay: needed`, the first reads are operands of gradients: those of selected nodes,
/// and recomputed tensors that other gradients read. A walk over the nodes in reverse order then adds the inputs of
/// every node that runs again. Otherwise every output counts as read, and all selected nodes run again. The cost is
/// the number of nodes times that of rules.
void choose_region(Derivation& d, const Segment& segment) {
  if (!has_backward(d, segment)) return;  // Without backward nothing reads recomputed tensors.
  bool needed_only = false;
  for (const NodeId n : segment.nodes()) {
    for (const RecomputeRule& rule : d.rules.recompute) {
      if (!d.index.selects(rule.match, n)) continue;
      d.region[n] = true;
      d.out.dropped[n] = 1;
      if (rule.dropped) d.dropped[n] = true;
      needed_only |= rule.needed;
    }
  }
  IdVector<TensorId, bool> read(d.graph.tensors.size(), !needed_only);
  for (NodeId n = segment.first; n < segment.last && needed_only; ++n) {
    for (const Read& r : reads_of(d, n)) {
      if (d.region[n] || is_recomputed_for_others(d, r.tensor)) read[r.tensor] = true;
    }
  }
  for (NodeId n = segment.last; n-- > segment.first;) {
    const Node& node = d.graph.nodes[n];
    bool runs_again = std::any_of(node.outputs.begin(), node.outputs.end(), [&](TensorId t) { return read[t]; });
    if (!runs_again || !d.region[n]) continue;
    d.out.recomputed[n] = 1;
    for (const Operand& input : node.inputs) read[input.tensor] = true;
  }
}

/// Finds the tensors of a segment that forward saves (`stored`), and those that recomputation restores (`rebuilt`). The
/// region is the set of nodes selected for recomputation. Operands of gradients that are produced inside the region and
/// read there are rebuilt, and so are operands read outside if rules drop them; all others are stored. The inputs of
/// the region are stored too, because the nodes that run again read them. A region of the whole segment saves only the
/// segment's inputs, in their placements between segments (data as read). Then slices of other copies are dropped.
void derive_saved(Derivation& d, const Segment& segment) {
  std::vector<NodeId> nodes;
  for (const NodeId n : segment.nodes()) nodes.push_back(n);
  derive_saved(d, segment, nodes, [](TensorId) { return true; });
}

void derive_saved(Derivation& d, const Segment& segment, const std::vector<NodeId>& nodes, FunctionRef<bool(TensorId)> is_selected) {
  SavedTensors stored, rebuilt;
  for (const NodeId n : nodes) {
    bool inside = d.region[n];
    for (const Read& read : reads_of(d, n)) {
      if (!is_selected(read.tensor)) continue;
      if (!inside && is_recomputed_for_others(d, read.tensor)) {
        rebuilt.require(read.tensor, d.available[read.tensor].front(), n, {});
      } else {
        require(d, inside && is_produced_inside(d, read.tensor) ? rebuilt : stored, read.tensor, read.placement, n);
      }
    }
  }
  for (const NodeId n : nodes) {
    if (!d.region[n]) continue;
    const std::vector<Operand>& inputs = d.graph.nodes[n].inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (is_selected(inputs[i].tensor) && !is_produced_inside(d, inputs[i].tensor)) require(d, stored, inputs[i].tensor, required_placement(d, n, i), n);
    }
  }
  if (segment.last > segment.first && whole(d, segment)) stored.save_inputs(d);  // Only the inputs are saved.
  stored.prune(d.grid);
  stored.query(d);
  rebuilt.prune(d.grid);
  rebuilt.query(d);
  stored.write(d, segment, d.saved, false);
  rebuilt.write(d, segment, d.rebuilt, true);
}

}  // namespace opledger
