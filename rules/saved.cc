#include "rules/saved.h"

#include <algorithm>

#include "graph/kernels.h"
#include "rules/emit.h"
#include "rules/reshard.h"

namespace opledger {

namespace {

/// A tensor that is kept, in one of its copies.
struct Copy {
  Placement placement;
  std::vector<NodeId> readers;
  RuleId rule;
};

struct Shelf {
  TensorId tensor;
  std::vector<Copy> copies;
};

/// Tensors in the order in which they were first wanted.
class Book {
 public:
  void want(TensorId tensor, const Placement& placement, NodeId reader, RuleId rule) {
    auto shelf = std::find_if(shelves_.begin(), shelves_.end(), [tensor](const Shelf& other) { return other.tensor == tensor; });
    if (shelf == shelves_.end()) shelf = shelves_.insert(shelves_.end(), {tensor, {}});
    auto copy = std::find_if(shelf->copies.begin(), shelf->copies.end(), [&](const Copy& other) { return other.placement == placement; });
    if (copy == shelf->copies.end()) copy = shelf->copies.insert(shelf->copies.end(), {placement, {}, rule});
    if (!contains(copy->readers, reader)) copy->readers.push_back(reader);
  }

  /// Drops copies that slicing another gives; their readers go over to that one.
  void prune(const Grid& grid) {
    for (Shelf& shelf : shelves_) {
      std::vector<Copy> all = shelf.copies;
      shelf.copies.clear();
      auto source = [&](const Copy& copy) {
        return std::find_if(all.begin(), all.end(),
                            [&](const Copy& other) { return other.placement != copy.placement && slices_to(grid, other.placement, copy.placement); });
      };
      for (const Copy& copy : all) {
        if (source(copy) == all.end()) shelf.copies.push_back(copy);
      }
      for (const Copy& copy : all) {
        if (source(copy) == all.end()) continue;
        auto stays =
            std::find_if(shelf.copies.begin(), shelf.copies.end(), [&](const Copy& other) { return slices_to(grid, other.placement, copy.placement); });
        if (stays != shelf.copies.end()) stays->readers.insert(stays->readers.end(), copy.readers.begin(), copy.readers.end());
      }
    }
  }

  /// Whether slicing would give more of them if some axes had one rank.
  void ask(Derivation& d) const {
    for (const Shelf& shelf : shelves_) {
      for (const Copy& from : shelf.copies) {
        for (const Copy& to : shelf.copies) {
          if (&from != &to) ask_sliced(d, from.placement, to.placement);
        }
      }
    }
  }

  void keep_first(const Derivation& d) {
    for (Shelf& shelf : shelves_) {
      shelf.copies.resize(1);
      if (!d.tensor(shelf.tensor).data) shelf.copies.front().placement = d.out.inputs[shelf.tensor];
    }
  }

  void write(Derivation& d, const Segment& segment, Copies& copies, bool rebuilt) const {
    for (const Shelf& shelf : shelves_) {
      std::vector<Placement> earlier;
      bool once = !rebuilt && d.graph.same_for_layers(segment, shelf.tensor);
      if (once) earlier.push_back(write_once(d, shelf));
      for (const Copy& copy : shelf.copies) {
        if (once && copy.placement == earlier.front()) continue;
        std::vector<AxisList> apart;
        for (const Placement& other : earlier) apart.push_back(differing(other, copy.placement));
        const std::vector<Placement>& have = d.at_hand[shelf.tensor];
        const bool as_made = !have.empty() && have.front().settled() == copy.placement;
        d.out.saved.push_back({shelf.tensor, copy.placement, rebuilt, as_made, false, copy.readers, std::move(apart), copy.rule, {}});
        earlier.push_back(copy.placement);
      }
      copies[shelf.tensor] = std::move(earlier);
    }
  }

 private:
  /// As it arrived; copies that a layer brings elsewhere are its own.
  static Placement write_once(Derivation& d, const Shelf& shelf) {
    const Copy& first = shelf.copies.front();
    Placement arrived = d.tensor(shelf.tensor).data ? first.placement : d.out.inputs[shelf.tensor];
    std::vector<NodeId> readers;
    for (const Copy& copy : shelf.copies) readers.insert(readers.end(), copy.readers.begin(), copy.readers.end());
    d.out.saved.push_back({shelf.tensor, arrived, false, true, true, std::move(readers), {}, first.rule, {}});
    return arrived;
  }

  std::vector<Shelf> shelves_;
};

/// The last rule that speaks of the node; null: as it reads them.
const ActivationRule* keep_rule(const Derivation& d, NodeId node) {
  const ActivationRule* last = nullptr;
  for (const ActivationRule& rule : d.rules.activations) {
    if (matches(rule.match, d.graph, node)) last = &rule;
  }
  return last;
}

/// Whether it can be kept as produced: a sum can't, and what gathering alone does not bring back is kept as it is read.
bool comes_back(Derivation& d, const Placement& produced, const Placement& read) {
  AxisList others = produced.partial;
  for (const Step& step : reshard(d, produced, read)) {
    if (step.kind != Collective::all_gather) others.insert(others.end(), step.axes.begin(), step.axes.end());
  }
  d.ones.ask_until_more(d.out.mesh, others);
  return others.empty();
}

void want(Derivation& d, Book& book, TensorId tensor, const Placement& placement, NodeId node) {
  const ActivationRule* rule = keep_rule(d, node);
  const std::vector<Placement>& have = d.at_hand[tensor];
  bool as_produced = rule && rule->sharded && !have.empty() && comes_back(d, have.front(), placement);
  book.want(tensor, as_produced ? have.front() : placement, node, rule ? rule->id : RuleId());
}

/// Whether a gradient outside reads the tensor as recomputation makes it again, in the placement in which it is produced. What is left partial is kept: nothing
/// would settle it again.
bool made_for_others(Derivation& d, TensorId t) {
  const NodeId producer = d.tensor(t).producer;
  const std::vector<Placement>& have = d.at_hand[t];
  return producer && d.dropped[producer] && !have.empty() && !spread(d, have.front());
}

bool made_inside(const Derivation& d, TensorId t) { return d.tensor(t).producer && d.region[d.tensor(t).producer]; }

bool whole(const Derivation& d, const Segment& segment) {
  return std::all_of(d.region.begin() + segment.first.number(), d.region.begin() + segment.last.number(), [](bool inside) { return inside; });
}

/// Whether anything has a gradient there.
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
  const Node& node = d.graph.nodes[id];
  std::vector<Read> reads;
  for (const auto& [target, ports] : node.op->gradients) {
    if (!d.needs_gradient(node, target)) continue;
    const bool of_input = input_port(node, target) >= 0;
    const auto add = [&](NodeId reader, std::size_t in) {
      reads.push_back({reader, of_input, d.graph.nodes[reader].inputs[in].tensor, wanted(d, reader, in)});
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

void choose_region(Derivation& d, const Segment& segment) {
  if (!has_backward(d, segment)) return;  // nobody would read it
  bool needed_only = false;
  for (const NodeId n : segment.nodes()) {
    for (const RecomputeRule& rule : d.rules.recompute) {
      if (!matches(rule.match, d.graph, n)) continue;
      d.region[n] = true;
      d.out.dropped[n] = 1;
      if (rule.dropped) d.dropped[n] = true;
      needed_only |= rule.needed;
    }
  }
  IdVector<TensorId, bool> read(d.graph.tensors.size(), !needed_only);
  for (NodeId n = segment.first; n < segment.last && needed_only; ++n) {
    for (const Read& r : reads_of(d, n)) {
      if (d.region[n] || made_for_others(d, r.tensor)) read[r.tensor] = true;
    }
  }
  for (NodeId n = segment.last; n-- > segment.first;) {
    const Node& node = d.graph.nodes[n];
    bool again = std::any_of(node.outputs.begin(), node.outputs.end(), [&](TensorId t) { return read[t]; });
    if (!again || !d.region[n]) continue;
    d.out.recomputed[n] = 1;
    for (const Operand& input : node.inputs) read[input.tensor] = true;
  }
}

void derive_saved(Derivation& d, const Segment& segment) {
  Book kept, rebuilt;
  for (const NodeId n : segment.nodes()) {
    bool inside = d.region[n];
    for (const Read& read : reads_of(d, n)) {
      if (!inside && made_for_others(d, read.tensor)) {
        rebuilt.want(read.tensor, d.at_hand[read.tensor].front(), n, {});
      } else {
        want(d, inside && made_inside(d, read.tensor) ? rebuilt : kept, read.tensor, read.placement, n);
      }
    }
  }
  for (const NodeId n : segment.nodes()) {
    if (!d.region[n]) continue;
    const std::vector<Operand>& inputs = d.graph.nodes[n].inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!made_inside(d, inputs[i].tensor)) want(d, kept, inputs[i].tensor, wanted(d, n, i), n);
    }
  }
  if (segment.last > segment.first && whole(d, segment)) kept.keep_first(d);  // a whole segment's inputs are kept as they arrive
  kept.prune(d.grid);
  kept.ask(d);
  rebuilt.prune(d.grid);
  rebuilt.ask(d);
  kept.write(d, segment, d.kept, false);
  rebuilt.write(d, segment, d.rebuilt, true);
}

}  // namespace opledger
