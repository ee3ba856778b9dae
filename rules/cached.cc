#include "rules/cached.h"

#include <algorithm>
#include <set>

#include "graph/signature.h"
#include "rules/reshard.h"

namespace opledger {

namespace {

/// Returns the dimensions along which calls continue a sequence: a dimension with all entries of the sequence
/// (`continues`), its counterpart with the entries of one call, and dimensions along which an operator carries a state.
std::set<DimId> sequence_dims(const Graph& graph) {
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

bool has(const DimList& dims, const std::set<DimId>& others) {
  return std::any_of(dims.begin(), dims.end(), [&](DimId d) { return others.count(d) != 0; });
}

/// Finds cached tensors and states. A reader that renames a sequence dimension to its continuation attends to earlier
/// entries, to all or to as many as its margin: the cache grows. A reader that renames it to a margin alone needs only
/// the last entries: a rolling window. An operator that carries a state over the dimension caches the state. A node
/// that works in every call caches results of nodes that work once. Readers of one tensor in equal placements share a
/// cache.
class CacheFinder {
 public:
  explicit CacheFinder(Derivation& d) : d_(d), sequence_dims_(sequence_dims(d.graph)) {}

  void derive() {
    if (sequence_dims_.empty()) return;
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
      if (sequence_dims_.count(own) == 0) continue;
      if (d_.graph.dimensions[renamed].continues == d_.graph.name(own)) return entries(id, input, renamed);
      if (margin(id, renamed, own)) return window(id, input, renamed, own);
    }
    const NodeId maker = d_.tensor(input.tensor).producer;
    if (maker && d_.out.once[maker] != 0 && d_.out.once[id] == 0) add(id, input, input.dims, {}, nullptr);
  }

  /// Returns the margin's width; null if the reader needs all entries.
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

  /// Adds the entries before a call's own, without their dimension.
  void window(NodeId id, const Operand& input, DimId renamed, DimId own) { add(id, input, without(input.dims, {renamed}), {}, margin(id, renamed, own)); }

  /// Adds the reader `id` to the cache of a tensor, or a cache if none fits. `dims`: dimensions of the cached entries;
  /// `grows`: the dimension that gains an entry with each token, if any; `margin`: number of earlier entries that the
  /// reader needs, null for all. Readers share a cache if tensor, dimensions and placement are equal; over axes of one
  /// rank, different placements are equal, so `same` queries. A cache with a margin that does not grow is overwritten
  /// (`rolls`).
  void add(NodeId id, const Operand& input, DimList dims, DimId grows, const ExprPtr& margin) {
    const Tensor& tensor = d_.tensor(input.tensor);
    CachedTensor tensor_cache{tensor.name, input.tensor, id, tensor.segment, std::move(dims), 1, 0, {}, grows, margin && !grows, {id}, {}, {}};
    tensor_cache.placement = operand(d_.of(id), tensor_cache.dims);
    if (margin) tensor_cache.margins.emplace_back(id, margin);
    const auto shares_cache = [&](const CachedTensor& other) {
      return other.tensor == tensor_cache.tensor && other.grows == tensor_cache.grows && other.dims == tensor_cache.dims &&
             same(d_, other.placement, tensor_cache.placement);
    };
    const auto known = std::find_if(d_.out.cached.begin(), d_.out.cached.end(), shares_cache);
    if (known == d_.out.cached.end()) return d_.out.cached.push_back(std::move(tensor_cache));
    known->readers.push_back(id);
    if (!margin || known->margins.empty())
      known->margins.clear();  // A reader of all entries overrides the margins.
    else
      known->margins.push_back(tensor_cache.margins.front());
  }

  void states(NodeId id) {
    const Node& node = d_.graph.nodes[id];
    for (const auto& [name, formula] : node.op->carry) {
      const std::optional<SizedDims> state = d_.graph.dimension(name) ? node_dims(d_.graph, id, *formula) : std::nullopt;
      if (!state) continue;
      CachedTensor tensor_cache{node.name + ".state", {}, id, node.segment, state->dims, state->times, kStateBytes, {}, {}, true, {id}, {}, {}};
      tensor_cache.placement = operand(d_.of(id), tensor_cache.dims);
      d_.out.cached.push_back(std::move(tensor_cache));
    }
  }

  Derivation& d_;
  const std::set<DimId> sequence_dims_;
};

}  // namespace

/// Finds the nodes that do their work once per sequence, such as an encoder's. Computes a fixpoint of forward
/// reachability: a tensor continues a sequence if it has a dimension of the sequence, or depends on a tensor that
/// continues it. A node without such a dimension or input works once. Repeated layers read their own outputs, so
/// passes over the graph repeat until no tensor changes; each pass changes at least one tensor.
void find_once(Derivation& d) {
  const Graph& graph = d.graph;
  const std::set<DimId> all = sequence_dims(graph);
  IdVector<TensorId, std::uint8_t> continues;
  for (const Tensor& t : graph.tensors) continues.push_back(has(t.dims, all) ? 1 : 0);
  d.out.once.assign(graph.nodes.size(), all.empty() ? 0 : 1);
  for (bool changed = !all.empty(); changed;) {  // A repeated layer reads the output of the layer before it.
    changed = false;
    const auto spread = [&](TensorId from, TensorId to) {
      if (!from || continues[from] == 0 || continues[to] != 0) return;
      continues[to] = 1;
      changed = true;
    };
    for (const Segment& segment : graph.segments) {
      for (std::size_t i = 0; i < segment.inputs.size(); ++i) spread(segment.sources[i], segment.inputs[i]);
      if (segment.repeat && !segment.inputs.empty()) spread(segment.output, segment.inputs.front());
    }
    for (const NodeId n : graph.nodes.ids()) {
      const Node& node = graph.nodes[n];
      bool any = has(node.dims, all);
      for (const Operand& in : node.inputs) any = any || continues[in.tensor] != 0;
      if (any) d.out.once[n] = 0;
      for (const TensorId out : node.outputs) {
        if (!any || continues[out] != 0) continue;
        continues[out] = 1;
        changed = true;
      }
    }
  }
}

void derive_cached(Derivation& d) { CacheFinder(d).derive(); }

}  // namespace opledger
