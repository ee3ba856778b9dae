#include "find/placement_states.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/lists.h"
#include "base/text.h"
#include "rules/derivation.h"

namespace opledger {
namespace {

/// Enumerates the splits of some dimensions over axes. Each axis is unassigned or at any position in the list of a
/// dimension.
class SplitEnumerator {
 public:
  SplitEnumerator(const std::vector<std::string>& axes, std::vector<std::string> dimensions) : axes_(axes), dimensions_(std::move(dimensions)) {}

  std::vector<Split> all() {
    extend(0, {});
    return std::move(out_);
  }

 private:
  void extend(std::size_t axis, const Split& split) {
    if (axis == axes_.size()) return out_.push_back(split);
    extend(axis + 1, split);
    for (const std::string& dimension : dimensions_) {
      const auto entry = std::find_if(split.begin(), split.end(), [&](const auto& other) { return other.first == dimension; });
      const std::size_t positions = entry == split.end() ? 1 : entry->second.size() + 1;
      for (std::size_t at = positions; at-- > 0;) extend(axis + 1, with(split, dimension, at, axes_[axis]));
    }
  }

  /// Returns the split with one more axis at a position of a dimension's list.
  static Split with(Split split, const std::string& dimension, std::size_t at, const std::string& axis) {
    auto entry = std::find_if(split.begin(), split.end(), [&](const auto& other) { return other.first == dimension; });
    if (entry == split.end()) entry = split.insert(split.end(), {dimension, {}});
    entry->second.insert(entry->second.begin() + static_cast<std::ptrdiff_t>(at), axis);
    return split;
  }

  const std::vector<std::string>& axes_;
  const std::vector<std::string> dimensions_;
  std::vector<Split> out_;
};

/// Returns the names of declared axes, each once; parts count as their axis.
std::vector<std::string> whole_names(const Mesh& mesh, const AxisList& axes) {
  std::vector<std::string> out;
  for (const AxisId a : axes) {
    const std::string& name = mesh.axes[mesh.whole(a)].name;
    if (!contains(out, name)) out.push_back(name);
  }
  return out;
}

/// The reader of the choices of one graph.
class SpaceReader {
 public:
  SpaceReader(const Graph& graph, TensorDerivation& derivation, const std::vector<std::string>& axes)
      : graph_(graph), derivation_(derivation), mesh_(derivation.annotations().mesh) {
    out_.axes = axes;
  }

  PlacementSpace read() {
    read_fixed();
    out_.of_node.assign(graph_.nodes.size(), kNoVariable);
    out_.of_boundary.assign(graph_.tensors.size(), kNoVariable);
    for (const NodeId n : graph_.nodes.ids()) add_node(n);
    for (const Segment& segment : graph_.segments) {
      for (const TensorId t : segment.inputs) add_boundary(t);
      if (segment.output) add_boundary(segment.output);
    }
    return std::move(out_);
  }

 private:
  void read_fixed() {
    for (const ShardRule& rule : derivation_.rules().shard) {
      ShardRule line = rule;
      line.axes.clear(), line.when = nullptr;
      for (std::string& name : whole_names(mesh_, mesh_.expand(rule.axes))) {
        if (!contains(out_.axes, name)) line.axes.push_back(std::move(name));
      }
      if (line.axes.size() < rule.axes.size() || line.axes.empty()) keep_uneven(rule);
      if (!line.axes.empty()) out_.fixed.push_back(std::move(line));
    }
  }

  /// An axis that need not divide a dimension by the run's rules need not divide it in the search.
  void keep_uneven(const ShardRule& rule) {
    for (const std::string& name : rule.dimensions) {
      const Uneven uneven = derivation_.rules().uneven_of(rule, name);
      if (uneven != Uneven::error) out_.uneven.try_emplace(name, uneven);
    }
  }

  void add_node(NodeId n) {
    const Node& node = graph_.nodes[n];
    const auto like = std::find_if(node.inputs.begin(), node.inputs.end(), [&](const Operand& input) {
      return !node.op->like.empty() && graph_.tensors[input.tensor].producer &&
             node.op->inputs[static_cast<std::size_t>(&input - node.inputs.data())].name == node.op->like;
    });
    if (like != node.inputs.end()) {
      out_.of_node[n] = out_.of_node[graph_.tensors[like->tensor].producer];
      return;
    }
    out_.of_node[n] = out_.variables.size();
    PlacedVariable variable{node.name, n, {}, node.dims, {}};
    for (const Split& split : splits_of(node.dims)) {
      const NodePlacement placement = derivation_.place(n, rule_for_split(out_, split));
      if (!has_split(placement, split)) continue;
      variable.states.push_back({split, false});
      if (!placement.consumed.empty()) variable.states.push_back({split, true});
    }
    out_.variables.push_back(std::move(variable));
  }

  void add_boundary(TensorId t) {
    const Tensor& tensor = graph_.tensors[t];
    if (tensor.data || tensor.dims.empty() || out_.of_boundary[t] != kNoVariable) return;
    const auto known = std::find_if(out_.variables.begin(), out_.variables.end(),
                                    [&](const PlacedVariable& other) { return !other.boundaries.empty() && other.dims == tensor.dims; });
    if (known != out_.variables.end()) {
      known->boundaries.push_back(t);
      out_.of_boundary[t] = static_cast<std::size_t>(known - out_.variables.begin());
      return;
    }
    std::vector<std::string> names;
    for (const DimId d : tensor.dims) names.push_back(graph_.name(d));
    PlacedVariable variable{"between segments: " + join(names, ", "), {}, {t}, tensor.dims, {}};
    for (const Split& split : splits_of(tensor.dims)) {
      const NodePlacement placement = derivation_.place_boundary(t, rule_for_split(out_, split));
      if (placement.consumed.empty() && has_split(placement, split)) variable.states.push_back({split, false});
    }
    out_.of_boundary[t] = out_.variables.size();
    out_.variables.push_back(std::move(variable));
  }

  std::vector<Split> splits_of(const DimList& dims) const {
    std::vector<std::string> names;
    for (const DimId d : dims) names.push_back(graph_.name(d));
    return SplitEnumerator(out_.axes, std::move(names)).all();
  }

  /// Returns whether each dimension of `split` has exactly its searched axes, or they are reserved for it. Other dimensions
  /// may have axes too: those that follow a dimension of `split`.
  bool has_split(const NodePlacement& placement, const Split& split) const {
    const std::vector<std::string> reserved = whole_names(mesh_, placement.consumed);
    return std::all_of(split.begin(), split.end(), [&](const auto& entry) {
      std::vector<std::string> names = whole_names(mesh_, placement.of(graph_.dimension(entry.first)));
      std::erase_if(names, [&](const std::string& name) { return !contains(out_.axes, name); });
      for (const std::string& axis : entry.second) {
        if (contains(reserved, axis) && !contains(names, axis)) names.push_back(axis);
      }
      return names == entry.second;
    });
  }

  const Graph& graph_;
  TensorDerivation& derivation_;
  const Mesh& mesh_;
  PlacementSpace out_;
};

/// Returns a split without some axes.
Split without(const Split& split, const std::vector<std::string>& axes) {
  Split out = split;
  for (auto& [dimension, names] : out) std::erase_if(names, [&](const std::string& name) { return contains(axes, name); });
  std::erase_if(out, [](const auto& entry) { return entry.second.empty(); });
  return out;
}

}  // namespace

PlacementSpace placement_space(const Graph& graph, TensorDerivation& derivation, const std::vector<std::string>& axes) {
  return SpaceReader(graph, derivation, axes).read();
}

RestrictedSpace restricted(const PlacementSpace& space, const StateChoice& states, const std::vector<std::string>& axes) {
  RestrictedSpace out{space, {}};
  for (std::size_t v = 0; v < space.variables.size(); ++v) {
    const std::vector<PlacedState>& all = space.variables[v].states;
    const Split rest = without(all[states[v]].split, axes);
    out.space.variables[v].states.clear();
    out.whole.emplace_back();
    for (std::size_t state = 0; state < all.size(); ++state) {
      if (without(all[state].split, axes) != rest) continue;
      out.space.variables[v].states.push_back(all[state]);
      out.whole[v].push_back(state);
    }
  }
  return out;
}

StateChoice states_of_rules(const PlacementSpace& space, TensorDerivation& derivation) {
  StateChoice out;
  const Annotations& given = derivation.annotations();
  for (const PlacedVariable& variable : space.variables) {
    const auto is_given = [&](const PlacedState& state) {
      if (!variable.node) {
        const NodePlacement placement = derivation.place_boundary(variable.boundaries.front(), rule_for_split(space, state.split));
        return operand(placement, variable.dims) == given.inputs[variable.boundaries.front()];
      }
      const NodePlacement placement = placement_of(space, derivation, variable.node, state), &other = given.nodes[variable.node];
      return placement.axes == other.axes && placement.consumed == other.consumed && placement.passed == other.passed;
    };
    const auto found = std::find_if(variable.states.begin(), variable.states.end(), is_given);
    out.push_back(found == variable.states.end() ? 0 : static_cast<std::size_t>(found - variable.states.begin()));
  }
  return out;
}

ShardRule line_of(const PlacementSpace& space, const std::string& dimension, const std::string& axis) {
  ShardRule out;
  out.dimensions = {dimension}, out.axes = {axis};
  const auto uneven = space.uneven.find(dimension);
  out.uneven = uneven == space.uneven.end() ? Uneven::skip : uneven->second;
  return out;
}

NodeRule rule_for_split(const PlacementSpace& space, const Split& split) {
  NodeRule out;
  out.shard = space.fixed;
  for (const auto& [dimension, axes] : split) {
    for (const std::string& axis : axes) out.shard.push_back(line_of(space, dimension, axis));
  }
  out.avoid = space.axes;
  return out;
}

NodePlacement placement_of(const PlacementSpace& space, TensorDerivation& derivation, NodeId node, const PlacedState& state) {
  NodePlacement out = derivation.place(node, rule_for_split(space, state.split));
  if (state.passes_partial_sums) out.passed = out.consumed;
  return out;
}

}  // namespace opledger
