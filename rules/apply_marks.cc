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

class Marker {
 public:
  explicit Marker(Derivation& d) : d_(d) {}

  void apply(const MarkRule& rule) {
    bool found = false;
    for (const Mark& said : rule.marks) {
      const MarkId id = d_.out.marks.next();
      d_.out.marks.push_back(said);
      d_.out.marks.back().rule = rule.id;
      for (MarkList* list : targets(rule, said.of)) {
        put(*list, id);
        found = true;
      }
    }
    if (!found && !idle(rule)) d_.diagnostics.warning(rule.ref.span, fmt::format("{} marks nothing in this run", rule.ref.text));
  }

 private:
  /// Whether it was written for other runs: those of a space, or of meshes with axes that this one lacks.
  bool idle(const MarkRule& rule) const { return d_.rules.for_many || rule.ref.quiet || (!rule.axes.empty() && d_.out.mesh.expand(rule.axes).empty()); }

  std::vector<MarkList*> targets(const MarkRule& rule, Marked kind) {
    std::vector<MarkList*> found;
    if (kind == Marked::message) {
      for (Transfer& t : d_.out.transfers) {
        if (speaks_of(rule, t)) found.push_back(&t.marks);
      }
    } else if (kind == Marked::saved) {
      for (Saved& s : d_.out.saved) {
        if (speaks_of(rule, s)) found.push_back(&s.marks);
      }
    } else if (kind == Marked::held) {
      for (Held& h : d_.out.held) {
        if (speaks_of(rule, h)) found.push_back(&h.marks);
      }
    } else if (kind == Marked::weight) {
      for (const WeightId w : d_.out.weights.ids()) {
        const Weight& weight = d_.graph.weights[w];
        std::vector<NodeId> nodes;
        for (const auto& use : weight.uses) nodes.push_back(use.first);
        if (any(rule, nodes) && names(rule.tensor, weight.name)) found.push_back(&d_.out.weights[w].marks);
      }
    } else {
      for (const NodeId n : d_.graph.nodes.ids()) {
        if (any(rule, {n})) found.push_back(&d_.out.nodes[n].marks);
      }
    }
    return found;
  }

  bool any(const MarkRule& rule, const std::vector<NodeId>& nodes) const {
    return std::any_of(nodes.begin(), nodes.end(), [&](NodeId n) { return matches(rule.match, d_.graph, n); });
  }

  bool speaks_of(const MarkRule& rule, const Transfer& t) const {
    if (!fits(rule.collective, {to_string(t.kind)}) || !fits(rule.phase, {to_string(t.phase)}) || !fits(rule.cadence, {to_string(t.cadence)})) return false;
    if (!fits(rule.carries, {carried(t)}) || !names(rule.tensor, t.what)) return false;
    const bool border = t.tensor && (!t.reader || t.makers.empty());  // what lies between segments has no node
    const bool at_node = any(rule, t.readers) || any(rule, t.makers) || (border && matches(rule.match, d_.graph, d_.tensor(t.tensor).dims));
    return at_node && covers(rule, t);
  }

  /// Returns whether all axes of the message are the rule's. If only some are, asks whether the others have one rank, because such axes do not count.
  bool covers(const MarkRule& rule, const Transfer& t) const {
    if (rule.axes.empty()) return true;
    const AxisList axes = d_.out.mesh.expand(rule.axes);
    AxisList others;
    std::copy_if(t.axes.begin(), t.axes.end(), std::back_inserter(others), [&](AxisId a) { return !contains(axes, a); });
    if (!others.empty() && others.size() < t.axes.size()) d_.ones.ask_until_more(d_.out.mesh, others);
    return others.empty();
  }

  /// By the node that makes it; what comes from another segment by those that read it.
  bool speaks_of(const MarkRule& rule, const Saved& s) const {
    const Tensor& tensor = d_.tensor(s.tensor);
    return names(rule.tensor, tensor.name) && any(rule, tensor.producer ? std::vector<NodeId>{tensor.producer} : s.readers);
  }

  /// By the node that makes it.
  bool speaks_of(const MarkRule& rule, const Held& h) const {
    const NodeId maker = h.tensor ? d_.tensor(h.tensor).producer : h.node;
    return names(rule.tensor, h.name) && any(rule, {maker ? maker : h.node});
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
