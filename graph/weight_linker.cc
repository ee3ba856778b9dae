#include "graph/weight_linker.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace opledger {

/// Union of tied weights in four steps. Every weight of a node gets a slot. Ties connect slots to the slots of their
/// targets. Each chain of ties ends in an owner, or it is a cycle. Owners become weights of the graph, and all slots of
/// a chain become uses of the owner's weight. Slots of a node are consecutive, so `first_slot_` finds them.
void WeightLinker::link() {
  collect();
  std::size_t errors = diagnostics_.errors();
  for (const Expansion& expansion : expansions_) ties(expansion);
  if (!check_cycles() || diagnostics_.errors() != errors) return;
  for (const Slot& slot : slots_) check_dims(slot);
  number();
}

void WeightLinker::collect() {
  for (const NodeId id : graph_.nodes.ids()) {
    const Node& node = graph_.nodes[id];
    first_slot_.push_back(slots_.next());
    for (std::size_t port = 0; port < node.weights.size(); ++port) slots_.push_back({id, port, {}, {}, {}});
  }
}

/// Applies the ties of one segment, which are written in three places: at nodes, at uses of nested blocks, and at the
/// segment. A tie at a node names the node's own port. A tie at a block or segment names a weight inside by its path,
/// and its target is searched in the scope around the block. Nodes that earlier errors keep out of the graph are
/// skipped.
void WeightLinker::ties(const Expansion& expansion) {
  for (const PendingNode& pending : expansion.nodes) {
    if (!pending.op) continue;
    for (std::size_t i = 0; i < pending.spec->weights.size(); ++i) {
      const auto& [port, target] = pending.spec->weights[i];
      const TieSpec& spans = pending.spec->weight_spans[i];
      const std::vector<std::string> names = names_of(pending.op->weights);
      auto found = std::find(names.begin(), names.end(), port);
      if (found == names.end()) {
        diagnostics_.error(spans.port_span,
                           fmt::format("`{}` ({}) has no weight `{}`{}", pending.label, pending.op->name, port, known_names(port, "weights", names)));
      } else if (pending.id) {
        tie(first_slot_[pending.id] + (found - names.begin()), target, *pending.scope, spans.target_span);
      }
    }
  }
  for (const Scope& scope : expansion.scopes) {
    if (scope.instance) tie_inside(scope, *scope.parent, scope.instance->weights, scope.instance->weight_spans);
  }
  if (!expansion.scopes.empty()) tie_inside(expansion.scopes.front(), expansion.scopes.front(), expansion.spec->weights, expansion.spec->weight_spans);
}

void WeightLinker::tie_inside(const Scope& inner, const Scope& scope, const std::vector<std::pair<std::string, std::string>>& weights,
                              const std::vector<TieSpec>& spans) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    SlotId slot;
    Found found = find_inside(expansion_of(inner), inner, split(weights[i].first, '.'), slot);
    if (found == Found::no) {
      diagnostics_.error(spans[i].port_span,
                         fmt::format("block `{}` has no weight `{}`{}", inner.block->name, weights[i].first, suggestion(weights[i].first, names())));
    } else if (found == Found::yes) {
      tie(slot, weights[i].second, scope, spans[i].target_span);
    }
  }
}

void WeightLinker::tie(SlotId slot, const std::string& target, const Scope& scope, const Span& span) {
  SlotId other;
  Found found = find(target, scope, other);
  if (found == Found::no) diagnostics_.error(span, fmt::format("unknown weight `{}`{}", target, suggestion(target, names())));
  if (found != Found::yes) return;
  slots_[slot].tied_to = other;
  slots_[slot].span = span;
  const Segment &own = segment(slot), &owner = segment(other);
  if (owner.single && owner.whole != own.whole) join_parts(other, span);
}

/// Ties the weights of a segment's other parts to this slot. A segment that occurs once has a single weight, even after
/// cuts.
void WeightLinker::join_parts(SlotId slot, const Span& span) {
  const Segment& own = segment(slot);
  const std::int32_t offset = slot - first_slot_[own.first];
  for (const Segment& part : graph_.segments) {
    if (&part == &own || part.whole != own.whole || part.last - part.first != own.last - own.first) continue;
    Slot& same = slots_[first_slot_[part.first] + offset];
    if (!same.tied_to) same.tied_to = slot, same.span = span;
  }
}

/// Follows a path of names from a block through nested blocks to a node. Sets `slot` to the node's weight at the port
/// that the last name gives. The path ends there; a longer or shorter path is not found, and neither is an absent node.
/// A node that earlier errors keep out of the graph is `broken`.
WeightLinker::Found WeightLinker::find_inside(const Expansion& expansion, const Scope& scope, const std::vector<std::string>& path, SlotId& slot) const {
  const Scope* at = &scope;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    auto child = at->children.find(path[i]);
    if (child == at->children.end() || child->second.absent) return Found::no;
    if (child->second.scope) {
      at = child->second.scope;
      continue;
    }
    const PendingNode& pending = expansion.nodes[child->second.node];
    if (!pending.op) return Found::broken;
    const auto& weights = pending.op->weights;
    auto port = std::find_if(weights.begin(), weights.end(), [&](const Port& weight) { return weight.name == path[i + 1]; });
    if (port == weights.end() || i + 2 != path.size()) return Found::no;
    if (!pending.id) return Found::broken;
    slot = first_slot_[pending.id] + (port - weights.begin());
    return Found::yes;
  }
  return Found::no;
}

/// Finds the weight that a tie names by the path `target`, and sets `slot`. Searches in the block of the tie, then in
/// the enclosing blocks, then among segments, whose name is the first word of the path. Segments can be cut into
/// parts: a part finds the part of the same name, and any part of another segment that the model writes as a single
/// layer.
WeightLinker::Found WeightLinker::find(const std::string& target, const Scope& from, SlotId& slot) const {
  std::vector<std::string> path = split(target, '.');
  const Expansion& own = expansion_of(from);
  for (const Scope* scope = &from; scope; scope = scope->parent) {
    Found found = find_inside(own, *scope, path, slot);
    if (found != Found::no) return found;
  }
  std::vector<std::string> rest(path.begin() + 1, path.end());
  for (const Expansion& expansion : expansions_) {
    const bool any_part = expansion.plan.part.empty() || (expansion.spec->single() && expansion.spec != own.spec);
    const bool matches = expansion.spec->name == path.front() && (any_part || expansion.plan.part == own.plan.part);
    if (matches && !expansion.scopes.empty()) return find_inside(expansion, expansion.scopes.front(), rest, slot);
  }
  return Found::no;
}

const Expansion& WeightLinker::expansion_of(const Scope& scope) const {
  const Scope* root = &scope;
  while (root->parent) root = root->parent;
  return *std::find_if(expansions_.begin(), expansions_.end(), [&](const Expansion& e) { return !e.scopes.empty() && &e.scopes.front() == root; });
}

/// Follows every chain of ties to its owner, the slot without a tie, and stores the owner of all slots on the path
/// (`owner_`). Slots on the current path are marked kOpen; a chain that meets such a slot again is a cycle, which is
/// reported. Each slot is visited once, because a chain ends at a slot with a known owner. Returns false after a cycle.
bool WeightLinker::check_cycles() {
  owner_.assign(slots_.size(), {});
  for (SlotId at : slots_.ids()) {
    std::vector<SlotId> path;
    while (owner_[at] == SlotId()) {
      owner_[at] = kOpen;
      path.push_back(at);
      if (!slots_[at].tied_to) break;
      at = slots_[at].tied_to;
    }
    bool ends = !slots_[at].tied_to;
    if (!ends && owner_[at] == kOpen) return report_cycle(at);
    SlotId owner = ends ? at : owner_[at];
    for (SlotId slot : path) owner_[slot] = owner;
  }
  return true;
}

bool WeightLinker::report_cycle(SlotId start) {
  std::vector<std::string> path{name(slots_[start])};
  for (SlotId at = slots_[start].tied_to; at != start; at = slots_[at].tied_to) {
    path.push_back(name(slots_[at]));
  }
  path.push_back(path.front());
  diagnostics_.error(slots_[start].span, fmt::format("cycle: {}", join(path, " -> ")));
  return false;
}

void WeightLinker::check_dims(const Slot& slot) {
  if (!slot.tied_to) return;
  const Slot& owner = slots_[slot.tied_to];
  if (same_set(dims(slot), dims(owner))) return;
  diagnostics_.error(slot.span, fmt::format("weight `{}` {} can't be `{}` {}: their dimensions differ", name(slot), dimensions_.text(dims(slot)), name(owner),
                                            dimensions_.text(dims(owner))));
}

void WeightLinker::number() {
  for (Slot& slot : slots_) {
    if (slot.tied_to) continue;
    slot.weight = graph_.weights.add({name(slot), dims(slot), {}});
  }
  for (const SlotId id : slots_.ids()) {
    const Slot& slot = slots_[id];
    WeightId weight = slots_[owner_[id]].weight;
    graph_.nodes[slot.node].weights[slot.port].weight = weight;
    graph_.weights[weight].uses.emplace_back(slot.node, slot.port);
  }
}

std::string WeightLinker::name(const Slot& slot) const {
  const Node& node = graph_.nodes[slot.node];
  return node.name + "." + node.op->weights[slot.port].name;
}

std::vector<std::string> WeightLinker::names() const {
  std::vector<std::string> names;
  for (const Slot& slot : slots_) names.push_back(name(slot));
  return names;
}

}  // namespace opledger
