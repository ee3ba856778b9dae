#include "rules/apply_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace opledger {

namespace {

const std::string& carried(const Transfer& t) {
  if (!t.tensor && !t.weight) return carried_words()[4];
  return carried_words()[(t.weight ? 2u : 0u) + (t.gradient ? 1u : 0u)];
}

/// Applies the rules of `mark` in order. A rule finds its targets by node patterns; messages are also filtered by
/// collective, phase, cadence, contents and axes. A new mark replaces an older one of the same name.
class Marker {
 public:
  explicit Marker(Derivation& d) : d_(d) {}

  void apply(const MarkRule& rule) {
    bool found = false;
    for (const Mark& mark : rule.marks) {
      const MarkId id = d_.out.marks.next();
      d_.out.marks.push_back(mark);
      d_.out.marks.back().rule = rule.id;
      for (MarkList* list : targets(rule, mark.of)) {
        put(*list, id);
        found = true;
      }
    }
    if (!found && !is_for_other_runs(rule)) d_.diagnostics.warning(rule.ref.span, fmt::format("{} marks nothing in this run", rule.ref.text));
  }

 private:
  /// Returns whether the rule may be meant for other runs: the rule is quiet, the run belongs to a search space, or the
  /// mesh lacks all axes of the rule.
  bool is_for_other_runs(const MarkRule& rule) const {
    return d_.rules.for_many || rule.ref.quiet || (!rule.axes.empty() && d_.out.mesh.expand(rule.axes).empty());
  }

  /// Returns the mark lists of all parts of one kind that a rule selects: messages, saved or cached tensors, weights or
  /// nodes. A weight is selected by its name and by a node among its users. The pointers stay valid, because no part is
  /// added after this pass has begun. The cost is linear in the parts of the kind.
  std::vector<MarkList*> targets(const MarkRule& rule, Marked kind) {
    std::vector<MarkList*> found;
    if (kind == Marked::message) {
      for (Transfer& t : d_.out.transfers) {
        if (selects(rule, t)) found.push_back(&t.marks);
      }
    } else if (kind == Marked::saved) {
      for (Saved& s : d_.out.saved) {
        if (selects(rule, s)) found.push_back(&s.marks);
      }
    } else if (kind == Marked::cached) {
      for (CachedTensor& h : d_.out.cached) {
        if (selects(rule, h)) found.push_back(&h.marks);
      }
    } else if (kind == Marked::weight) {
      for (const WeightId w : d_.out.weights.ids()) {
        const Weight& weight = d_.graph.weights[w];
        std::vector<NodeId> nodes;
        for (const auto& use : weight.uses) nodes.push_back(use.first);
        if (any_node(rule, nodes) && names(rule.tensor, weight.name)) found.push_back(&d_.out.weights[w].marks);
      }
    } else {
      for (const NodeId n : d_.graph.nodes.ids()) {
        if (any_node(rule, {n})) found.push_back(&d_.out.nodes[n].marks);
      }
    }
    return found;
  }

  bool any_node(const MarkRule& rule, const std::vector<NodeId>& nodes) const {
    return std::any_of(nodes.begin(), nodes.end(), [&](NodeId n) { return d_.index.selects(rule.match, n); });
  }

  /// Matches collective, phase, cadence, contents, name and axes of a message, and one of its readers or producers. A
  /// message between segments has no node at one end; the rule may also match its dimensions.
  bool selects(const MarkRule& rule, const Transfer& t) const {
    if (!fits(rule.collective, {to_string(t.kind)}) || !fits(rule.phase, {to_string(t.phase)}) || !fits(rule.cadence, {to_string(t.cadence)})) return false;
    if (!fits(rule.carries, {carried(t)}) || !names(rule.tensor, t.name)) return false;
    const bool boundary = t.tensor && (!t.reader || t.makers.empty());  // A tensor between segments has no node.
    const bool at_node = any_node(rule, t.readers) || any_node(rule, t.makers) || (boundary && matches(rule.match, d_.graph, d_.tensor(t.tensor).dims));
    return at_node && covers(rule, t);
  }

  /// Returns whether the rule names every axis of the message. If it names a part of them, the rest is queried, because
  /// single-rank axes do not count.
  bool covers(const MarkRule& rule, const Transfer& t) const {
    if (rule.axes.empty()) return true;
    const AxisList axes = d_.out.mesh.expand(rule.axes);
    AxisList others;
    std::copy_if(t.axes.begin(), t.axes.end(), std::back_inserter(others), [&](AxisId a) { return !contains(axes, a); });
    if (!others.empty() && others.size() < t.axes.size()) d_.ones.query_until_several(d_.out.mesh, others);
    return others.empty();
  }

  /// Matches the producer; for a tensor from another segment, the readers.
  bool selects(const MarkRule& rule, const Saved& s) const {
    const Tensor& tensor = d_.tensor(s.tensor);
    return names(rule.tensor, tensor.name) && any_node(rule, tensor.producer ? std::vector<NodeId>{tensor.producer} : s.readers);
  }

  /// Matches the producer; without one, the node that reads the tensor first or carries the state.
  bool selects(const MarkRule& rule, const CachedTensor& h) const {
    const NodeId maker = h.tensor ? d_.tensor(h.tensor).producer : h.node;
    return names(rule.tensor, h.name) && any_node(rule, {maker ? maker : h.node});
  }

  void put(MarkList& list, MarkId id) const {
    const auto same = [&](MarkId other) { return d_.out.marks[other].name == d_.out.marks[id].name; };
    list.erase(std::remove_if(list.begin(), list.end(), same), list.end());
    list.push_back(id);
  }

  Derivation& d_;
};

}  // namespace

void derive_marks(Derivation& d) {
  for (const MarkRule& rule : d.rules.mark) Marker(d).apply(rule);
}

}  // namespace opledger
