#include <fmt/format.h>

#include <algorithm>

#include "graph/verify.h"

namespace opledger {

namespace {

/// Checks the main invariants of annotations: references are valid, axes are in the grid, and no axis is used twice in
/// one placement. Cached tensors are not checked. Sizes are checked first, because the other checks index the lists.
class AnnotationVerifier {
 public:
  AnnotationVerifier(const Graph& graph, const Annotations& annotations) : graph_(graph), a_(annotations), mesh_(annotations.mesh) {}

  std::vector<std::string> run() {
    sizes();
    if (!defects_.empty()) return std::move(defects_);
    for (const NodeId id : a_.nodes.ids()) node(id);
    for (const TensorId t : a_.inputs.ids()) placement(graph_.tensors[t].name, a_.inputs[t], graph_.tensors[t].dims, false);
    for (const Transfer& transfer : a_.transfers) check(transfer);
    for (const Saved& saved : a_.saved) check(saved);
    for (const WeightId w : a_.weights.ids()) check(graph_.weights[w], a_.weights[w]);
    for (const Divisibility& division : a_.divisions) check(division);
    axes("the cut into stages", a_.layers);
    return std::move(defects_);
  }

 private:
  template <class... Args>
  void defect(fmt::format_string<Args...> text, Args&&... args) {
    defects_.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  /// Passes fill one list after another, so each list is empty or complete.
  void sizes() {
    auto complete = [this](const char* list, std::size_t size, std::size_t all) {
      if (size != 0 && size != all) defect("{} has {} entries for {}", list, size, all);
    };
    complete("nodes", a_.nodes.size(), graph_.nodes.size());
    complete("recomputed", a_.recomputed.size(), graph_.nodes.size());
    complete("inputs", a_.inputs.size(), graph_.tensors.size());
    complete("needs_gradient", a_.needs_gradient.size(), graph_.tensors.size());
    complete("trained", a_.trained.size(), graph_.weights.size());
    complete("weights", a_.weights.size(), graph_.weights.size());
    for (AxisId axis : mesh_.order) {
      if (!mesh_.axes.has(axis)) defect("the grid has an axis that the mesh lacks");
    }
  }

  void axes(const std::string& name, const AxisList& list) {
    for (AxisId axis : list) {
      if (!contains(mesh_.order, axis)) defect("{}: axis {} is not of the grid", name, axis.number());
    }
  }

  void once(const std::string& name, AxisList all) {
    std::sort(all.begin(), all.end());
    auto twice = std::adjacent_find(all.begin(), all.end());
    if (twice != all.end()) defect("{}: axis `{}` is used twice", name, mesh_.axes[*twice].name);
  }

  void rule(const std::string& name, RuleId id) {
    if (id && !a_.rules.has(id)) defect("{}: rule {} is none", name, id.number());
  }

  void marks(const std::string& name, const MarkList& list, Marked of) {
    for (MarkId id : list) {
      if (!a_.marks.has(id) || a_.marks[id].of != of) return defect("{}: mark {} is none of a {}", name, id.number(), to_string(of));
      rule(name, a_.marks[id].rule);
    }
  }

  void placement(const std::string& name, const Placement& p, const DimList& dims, bool elements) {
    AxisList all = p.partial;
    axes(name, p.partial);
    if (!std::is_sorted(p.partial.begin(), p.partial.end())) defect("{}: partial axes are not sorted", name);
    for (std::size_t i = 0; i < p.shard.size(); ++i) {
      const auto& [d, list] = p.shard[i];
      if (i > 0 && p.shard[i - 1].first >= d) defect("{}: dimensions of a placement are not sorted", name);
      if (list.empty()) defect("{}: a dimension is sharded over no axis", name);
      if (d == kElements ? !elements : !contains(dims, d)) defect("{}: placed by a dimension that it lacks", name);
      axes(name, list);
      all.insert(all.end(), list.begin(), list.end());
    }
    once(name, std::move(all));
  }

  /// Checks the placement of a node: its dimensions, axes, rules and marks, and that no tensor of the node uses an
  /// axis twice. The node as a whole may use an axis for several dimensions, as one dimension can follow another.
  /// Operators with a split margin (`halo`) or with moved entries are exempt, because their tensors have both a
  /// dimension and its origin.
  void node(NodeId id) {
    const Node& n = graph_.nodes[id];
    const NodePlacement& p = a_.nodes[id];
    for (const auto& [d, list] : p.axes) {
      if (!contains(n.dims, d)) defect("node `{}` is placed by a dimension that it lacks", n.name);
      axes(n.name, list);
      once(n.name, list);
    }
    axes(n.name, p.consumed);
    axes(n.name, p.summed);
    for (const auto& [axis, why] : p.why) rule(n.name, why);
    marks(n.name, p.marks, Marked::node);
    const auto split = [&](const Operator::Halo& halo) { return !p.of(graph_.dimension(halo.dimension)).empty(); };
    if (std::any_of(n.op->halo.begin(), n.op->halo.end(), split) || !n.op->moved.empty()) return;
    for (const Operand& input : n.inputs) together(n.name, p, input.dims);
    for (TensorId output : n.outputs) together(n.name, p, graph_.tensors[output].dims);
    for (const WeightUse& use : n.weights) together(n.name, p, use.dims);
  }

  void together(const std::string& name, const NodePlacement& p, const DimList& dims) {
    AxisList all;
    for (DimId d : dims) all.insert(all.end(), p.of(d).begin(), p.of(d).end());
    once(name, std::move(all));
  }

  /// Checks that a transfer refers to existing tensors, nodes, segments, rules and marks, and that its axes are
  /// distinct and of the grid. Numbers are compared with the end of each list; none (-1) is below it and therefore
  /// valid.
  void check(const Transfer& t) {
    std::string name = "transfer of " + t.name;
    if (t.tensor >= graph_.tensors.next() || t.weight >= graph_.weights.next()) defect("{}: no such tensor or weight", name);
    if (t.tensor && t.weight) defect("{}: both a tensor and a weight", name);
    if (t.reader >= graph_.nodes.next()) defect("{}: no such reader", name);
    if (!graph_.segments.has(t.segment)) defect("{}: no such segment", name);
    if (t.axes.empty()) defect("{}: over no axis", name);
    axes(name, t.axes);
    once(name, t.axes);
    placement(name, t.message, t.dims, bool(t.weight));
    rule(name, t.rule);
    rule(name, t.weight_rule);
    marks(name, t.marks, Marked::message);
    for (const auto* nodes : {&t.readers, &t.makers}) {
      for (NodeId n : *nodes) {
        if (!graph_.nodes.has(n)) defect("{}: no such reader or producer", name);
      }
    }
  }

  void check(const Saved& saved) {
    if (!graph_.tensors.has(saved.tensor)) return defect("a saved tensor is none of the graph's");
    const Tensor& tensor = graph_.tensors[saved.tensor];
    placement("saved " + tensor.name, saved.placement, tensor.dims, false);
    for (AxisId axis : saved.placement.partial) {
      auto passes = [&](NodeId n) { return contains(a_.nodes[n].summed, axis); };
      if (!std::any_of(saved.readers.begin(), saved.readers.end(), passes)) defect("saved {}: a partial sum that no reader takes", tensor.name);
    }
    rule("saved " + tensor.name, saved.rule);
    marks("saved " + tensor.name, saved.marks, Marked::saved);
  }

  void check(const Weight& weight, const WeightPlacement& w) {
    for (const Placement* p : {&w.compute, &w.stored, &w.kept, &w.gradient, &w.optimizer}) placement("weight " + weight.name, *p, weight.dims, true);
    if (!w.uses.empty() && w.uses.size() != weight.uses.size()) defect("weight {}: not as many placements as uses", weight.name);
    for (const Placement& p : w.uses) placement("weight " + weight.name, p, weight.dims, true);
    for (const Placement* p : {&w.compute, &w.stored, &w.kept, &w.optimizer}) {
      if (!p->partial.empty()) defect("weight {}: a partial sum is stored", weight.name);
    }
    for (RuleId id : w.rules) rule("weight " + weight.name, id);
    marks("weight " + weight.name, w.marks, Marked::weight);
  }

  void check(const Divisibility& division) {
    axes("division of " + division.name, division.axes);
    if (!graph_.dimensions.has(division.dimension)) defect("division of {}: no such dimension", division.name);
    rule("division of " + division.name, division.rule);
  }

  const Graph& graph_;
  const Annotations& a_;
  const Mesh& mesh_;
  std::vector<std::string> defects_;
};

}  // namespace

std::vector<std::string> verify(const Graph& graph, const Annotations& annotations) { return AnnotationVerifier(graph, annotations).run(); }

}  // namespace opledger
