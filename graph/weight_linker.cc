#include "graph/weight_linker.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace opledger {

void WeightLinker::link() {
  collect();
  std::size_t errors = diagnostics_.errors();
  for (const Expansion& expansion : expansions_) ties(expansion);
  if (!check_cycles() || diagnostics_.errors() != errors) return;
  for (const Slot& slot : slots_) check_dims(slot);
  number();
}

void WeightLinker::collect() {
  for (std::size_t id = 0; id < graph_.nodes(); ++id) {
    const Node& node = graph_.node(static_cast<NodeId>(id));
    first_slot_.push_back(static_cast<std::int32_t>(slots_.size()));
    for (std::size_t port = 0; port < node.weights.size(); ++port) slots_.push_back({static_cast<NodeId>(id), static_cast<std::int32_t>(port), -1, {}, -1});
  }
}

void WeightLinker::ties(const Expansion& expansion) {
  for (const PendingNode& pending : expansion.nodes) {
    if (!pending.op) continue;
    for (std::size_t i = 0; i < pending.spec->weights.size(); ++i) {
      const auto& [port, target] = pending.spec->weights[i];
      const TieSpec& spans = pending.spec->weight_spans[i];
      std::vector<std::string> names;
      for (const Port& weight : pending.op->weights) names.push_back(weight.name);
      auto found = std::find(names.begin(), names.end(), port);
      if (found == names.end()) {
        diagnostics_.error(spans.port_span, fmt::format("`{}` ({}) has no weight `{}`{}", pending.label, pending.op->name, port, suggestion(port, names)));
      } else if (pending.id >= 0) {
        tie(first_slot_[static_cast<std::size_t>(pending.id)] + static_cast<std::int32_t>(found - names.begin()), target, *pending.scope, spans.target_span);
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
    std::int32_t slot = -1;
    Found found = find_inside(expansion_of(inner), inner, split(weights[i].first, '.'), slot);
    if (found == Found::no) {
      diagnostics_.error(spans[i].port_span,
                         fmt::format("block `{}` has no weight `{}`{}", inner.block->name, weights[i].first, suggestion(weights[i].first, names())));
    } else if (found == Found::yes) {
      tie(slot, weights[i].second, scope, spans[i].target_span);
    }
  }
}

void WeightLinker::tie(std::int32_t slot, const std::string& target, const Scope& scope, const Span& span) {
  std::int32_t other = -1;
  Found found = find(target, scope, other);
  if (found == Found::no) diagnostics_.error(span, fmt::format("unknown weight `{}`{}", target, suggestion(target, names())));
  if (found != Found::yes) return;
  slots_[static_cast<std::size_t>(slot)].tied_to = other;
  slots_[static_cast<std::size_t>(slot)].span = span;
  const Segment &own = segment(slot), &owner = segment(other);
  if (owner.single && owner.whole != own.whole) join_parts(other, span);
}

/// However rules cut a segment that occurs once, there is one of its weights: those of its other parts are this one.
void WeightLinker::join_parts(std::int32_t slot, const Span& span) {
  const Segment& own = segment(slot);
  const std::int32_t offset = slot - first_slot_[static_cast<std::size_t>(own.first)];
  for (const Segment& part : graph_.segments) {
    if (&part == &own || part.whole != own.whole || part.last - part.first != own.last - own.first) continue;
    Slot& same = slots_[static_cast<std::size_t>(first_slot_[static_cast<std::size_t>(part.first)] + offset)];
    if (same.tied_to < 0) same.tied_to = slot, same.span = span;
  }
}

WeightLinker::Found WeightLinker::find_inside(const Expansion& expansion, const Scope& scope, const std::vector<std::string>& path, std::int32_t& slot) const {
  const Scope* at = &scope;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    auto child = at->children.find(path[i]);
    if (child == at->children.end() || child->second.absent) return Found::no;
    if (child->second.scope) {
      at = child->second.scope;
      continue;
    }
    const PendingNode& pending = expansion.nodes[static_cast<std::size_t>(child->second.node)];
    if (!pending.op) return Found::broken;
    const auto& weights = pending.op->weights;
    auto port = std::find_if(weights.begin(), weights.end(), [&](const Port& weight) { return weight.name == path[i + 1]; });
    if (port == weights.end() || i + 2 != path.size()) return Found::no;
    if (pending.id < 0) return Found::broken;
    slot = first_slot_[static_cast<std::size_t>(pending.id)] + static_cast<std::int32_t>(port - weights.begin());
    return Found::yes;
  }
  return Found::no;
}

/// In the block where it is written, then in those around it, then from the segments.
WeightLinker::Found WeightLinker::find(const std::string& target, const Scope& from, std::int32_t& slot) const {
  std::vector<std::string> path = split(target, '.');
  const Expansion& own = expansion_of(from);
  for (const Scope* scope = &from; scope; scope = scope->parent) {
    Found found = find_inside(own, *scope, path, slot);
    if (found != Found::no) return found;
  }
  std::vector<std::string> rest(path.begin() + 1, path.end());
  for (const Expansion& expansion : expansions_) {
    const bool any_part = expansion.plan.part.empty() || (expansion.spec->single() && expansion.spec != own.spec);
    const bool there = expansion.spec->name == path.front() && (any_part || expansion.plan.part == own.plan.part);
    if (there && !expansion.scopes.empty()) return find_inside(expansion, expansion.scopes.front(), rest, slot);
  }
  return Found::no;
}

const Expansion& WeightLinker::expansion_of(const Scope& scope) const {
  const Scope* root = &scope;
  while (root->parent) root = root->parent;
  return *std::find_if(expansions_.begin(), expansions_.end(), [&](const Expansion& e) { return !e.scopes.empty() && &e.scopes.front() == root; });
}

/// Follows every chain of ties to its end, each slot once.
bool WeightLinker::check_cycles() {
  owner_.assign(slots_.size(), -1);
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    std::vector<std::int32_t> path;
    auto at = static_cast<std::int32_t>(i);
    while (owner_[static_cast<std::size_t>(at)] == -1) {
      owner_[static_cast<std::size_t>(at)] = kOpen;
      path.push_back(at);
      std::int32_t next = slots_[static_cast<std::size_t>(at)].tied_to;
      if (next < 0) break;
      at = next;
    }
    bool ends = slots_[static_cast<std::size_t>(at)].tied_to < 0;
    if (!ends && owner_[static_cast<std::size_t>(at)] == kOpen) return report_cycle(at);
    std::int32_t owner = ends ? at : owner_[static_cast<std::size_t>(at)];
    for (std::int32_t slot : path) owner_[static_cast<std::size_t>(slot)] = owner;
  }
  return true;
}

bool WeightLinker::report_cycle(std::int32_t start) {
  std::vector<std::string> path{name(slots_[static_cast<std::size_t>(start)])};
  for (std::int32_t at = slots_[static_cast<std::size_t>(start)].tied_to; at != start; at = slots_[static_cast<std::size_t>(at)].tied_to) {
    path.push_back(name(slots_[static_cast<std::size_t>(at)]));
  }
  path.push_back(path.front());
  diagnostics_.error(slots_[static_cast<std::size_t>(start)].span, fmt::format("cycle: {}", join(path, " -> ")));
  return false;
}

void WeightLinker::check_dims(const Slot& slot) {
  if (slot.tied_to < 0) return;
  const Slot& owner = slots_[static_cast<std::size_t>(slot.tied_to)];
  if (same_set(dims(slot), dims(owner))) return;
  diagnostics_.error(slot.span, fmt::format("weight `{}` {} can't be `{}` {}: their dimensions differ", name(slot), dimensions_.text(dims(slot)), name(owner),
                                            dimensions_.text(dims(owner))));
}

void WeightLinker::number() {
  for (Slot& slot : slots_) {
    if (slot.tied_to >= 0) continue;
    slot.weight = static_cast<WeightId>(graph_.weights.size());
    graph_.weights.push_back({name(slot), dims(slot), {}});
  }
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    WeightId weight = slots_[static_cast<std::size_t>(owner_[i])].weight;
    graph_.node(slots_[i].node).weights[static_cast<std::size_t>(slots_[i].port)].weight = weight;
    graph_.weights[static_cast<std::size_t>(weight)].uses.emplace_back(slots_[i].node, slots_[i].port);
  }
}

std::string WeightLinker::name(const Slot& slot) const {
  const Node& node = graph_.node(slot.node);
  return node.name + "." + node.op->weights[static_cast<std::size_t>(slot.port)].name;
}

std::vector<std::string> WeightLinker::names() const {
  std::vector<std::string> names;
  for (const Slot& slot : slots_) names.push_back(name(slot));
  return names;
}

}  // namespace opledger
