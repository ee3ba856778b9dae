#include "rules/held.h"

#include <algorithm>
#include <set>

#include "graph/signature.h"
#include "rules/reshard.h"

namespace opledger {

namespace {

/// Dimensions along which calls follow each other, and those that have all of their entries.
std::set<DimId> continued(const Graph& graph) {
  std::set<DimId> out;
  for (const DimId d : graph.dimensions.ids()) {
    const std::string& of = graph.dimensions[d].continues;
    if (of.empty()) continue;
    out.insert(d);
    if (const DimId origin = graph.dimension(of)) out.insert(origin);
  }
  for (const Node& node : graph.nodes) {
    for (const auto& [name, _] : node.op->carry) {
      if (const DimId d = graph.dimension(name)) out.insert(d);
    }
  }
  return out;
}

bool has(const DimList& dims, const std::set<DimId>& some) {
  return std::any_of(dims.begin(), dims.end(), [&](DimId d) { return some.count(d) != 0; });
}

class Holder {
 public:
  explicit Holder(Derivation& d) : d_(d), continued_(continued(d.graph)) {}

  void derive() {
    if (continued_.empty()) return;
    for (const NodeId n : d_.graph.nodes.ids()) {
      const Node& node = d_.graph.nodes[n];
      for (const Operand& input : node.inputs) read(n, input);
      states(n);
    }
  }

 private:
  void read(NodeId id, const Operand& input) {
    if (d_.tensor(input.tensor).data) return;
    for (const auto& [own, renamed] : input.renames) {
      if (continued_.count(own) == 0) continue;
      if (d_.graph.dimensions[renamed].continues == d_.graph.name(own)) return entries(id, input, renamed);
      if (margin(id, renamed, own)) return in_front(id, input, renamed, own);
    }
    const NodeId maker = d_.tensor(input.tensor).producer;
    if (maker && d_.out.once[maker] != 0 && d_.out.once[id] == 0) add(id, input, input.dims, {}, nullptr);
  }

  /// Null: the reader sees all entries.
  ExprPtr margin(NodeId id, DimId dimension, DimId of) const {
    for (const Operator::Halo& halo : d_.graph.nodes[id].op->halo) {
      if (d_.graph.dimension(halo.dimension) == dimension && d_.graph.dimension(halo.of) == of) return halo.width;
    }
    return nullptr;
  }

  void entries(NodeId id, const Operand& input, DimId renamed) {
    DimId of = d_.graph.dimension(d_.graph.dimensions[renamed].continues);
    add(id, input, input.dims, renamed, margin(id, renamed, of));
  }

  /// Only those in front of a call's own.
  void in_front(NodeId id, const Operand& input, DimId renamed, DimId own) { add(id, input, without(input.dims, {renamed}), {}, margin(id, renamed, own)); }

  void add(NodeId id, const Operand& input, DimList dims, DimId grows, const ExprPtr& margin) {
    const Tensor& tensor = d_.tensor(input.tensor);
    Held held{tensor.name, input.tensor, id, tensor.segment, std::move(dims), 1, 0, {}, grows, margin && !grows, {id}, {}, {}};
    held.placement = operand(d_.of(id), held.dims);
    if (margin) held.margins.emplace_back(id, margin);
    const auto alike = [&](const Held& other) {
      return other.tensor == held.tensor && other.grows == held.grows && other.dims == held.dims && same(d_, other.placement, held.placement);
    };
    const auto known = std::find_if(d_.out.held.begin(), d_.out.held.end(), alike);
    if (known == d_.out.held.end()) return d_.out.held.push_back(std::move(held));
    known->readers.push_back(id);
    if (!margin || known->margins.empty())
      known->margins.clear();  // one that sees all needs all
    else
      known->margins.push_back(held.margins.front());
  }

  void states(NodeId id) {
    const Node& node = d_.graph.nodes[id];
    for (const auto& [name, formula] : node.op->carry) {
      const std::optional<SizedDims> state = d_.graph.dimension(name) ? node_dims(d_.graph, id, *formula) : std::nullopt;
      if (!state) continue;
      Held held{node.name + ".state", {}, id, node.segment, state->dims, state->times, kStateBytes, {}, {}, true, {id}, {}, {}};
      held.placement = operand(d_.of(id), held.dims);
      d_.out.held.push_back(std::move(held));
    }
  }

  Derivation& d_;
  const std::set<DimId> continued_;
};

}  // namespace

void find_once(Derivation& d) {
  const Graph& graph = d.graph;
  const std::set<DimId> all = continued(graph);
  IdVector<TensorId, std::uint8_t> goes_on;
  for (const Tensor& t : graph.tensors) goes_on.push_back(has(t.dims, all) ? 1 : 0);
  d.out.once.assign(graph.nodes.size(), all.empty() ? 0 : 1);
  for (bool changed = !all.empty(); changed;) {  // layers hand on to themselves
    changed = false;
    const auto spread = [&](TensorId from, TensorId to) {
      if (!from || goes_on[from] == 0 || goes_on[to] != 0) return;
      goes_on[to] = 1;
      changed = true;
    };
    for (const Segment& segment : graph.segments) {
      for (std::size_t i = 0; i < segment.inputs.size(); ++i) spread(segment.sources[i], segment.inputs[i]);
      if (segment.repeat && !segment.inputs.empty()) spread(segment.output, segment.inputs.front());
    }
    for (const NodeId n : graph.nodes.ids()) {
      const Node& node = graph.nodes[n];
      bool any = has(node.dims, all);
      for (const Operand& in : node.inputs) any = any || goes_on[in.tensor] != 0;
      if (any) d.out.once[n] = 0;
      for (const TensorId out : node.outputs) {
        if (!any || goes_on[out] != 0) continue;
        goes_on[out] = 1;
        changed = true;
      }
    }
  }
}

void derive_held(Derivation& d) { Holder(d).derive(); }

}  // namespace opledger
