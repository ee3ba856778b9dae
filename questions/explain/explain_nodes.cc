#include "questions/explain/explain_nodes.h"

#include <algorithm>

#include "accounting/graph_engine.h"
#include "accounting/sizes.h"
#include "base/lists.h"
#include "base/text.h"
#include "questions/node_quantities.h"

namespace opledger {
namespace {

/// Explains nodes of the graph as plain data.
class NodeExplainer {
 public:
  NodeExplainer(Run& run, Explainer& explainer, int depth, Diagnostics& diagnostics)
      : run_(run), graph_(run.graph()), notes_(run.annotations()), depth_(depth), diagnostics_(diagnostics), explainer_(explainer) {
    Inquiry inquiry(run.evaluator());
    shown_ = Sizes(inquiry, run.graph_run()).shown();
    index_transfers();
    saved_of_.resize(graph_.nodes.size());
    for (std::size_t i = 0; i < notes_.saved.size(); ++i) {
      if (const NodeId producer = graph_.tensors[notes_.saved[i].tensor].producer) saved_of_[producer].push_back(i);
    }
  }

  /// Returns the name, transfers and saved tensors of a node.
  ExplainedNode brief_node(NodeId id) {
    ExplainedNode out;
    out.name = graph_.nodes[id].name;
    out.op = graph_.nodes[id].op->name;
    out.brief = true;
    add_transfers(id, out);
    add_kept(id, out);
    return out;
  }

  /// Explains one node of the graph: operator, ports with tensors and dimensions, then placement, transfers, saved
  /// tensors and quantities. Operands of a node and ports of its operator have equal positions. Output ports get no
  /// tensor name. The helpers `add_…` append to the lists of `out`: placement and transfers come from annotations of
  /// the graph, quantities from formulas.
  ExplainedNode node(NodeId id) {
    const Node& node = graph_.nodes[id];
    ExplainedNode out{
        node.name, node.op->name, false, std::string(trim(node.op->doc)), std::string(trim(node.op->source)), node.span, {}, {}, {}, {}, false, {}, {}, {}};
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Tensor& tensor = graph_.tensors[node.inputs[i].tensor];
      out.inputs.push_back({node.op->inputs[i].name, tensor.name, names(node.inputs[i].dims)});
    }
    for (std::size_t i = 0; i < node.weights.size(); ++i) {
      const Weight& weight = graph_.weights[node.weights[i].weight];
      out.weights.push_back({node.op->weights[i].name, weight.name, names(node.weights[i].dims)});
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) out.outputs.push_back({node.op->outputs[i].name, "", names(graph_.tensors[node.outputs[i]].dims)});
    add_placement(id, out);
    out.recomputed = notes_.recomputed[id] != 0;
    add_transfers(id, out);
    add_kept(id, out);
    add_quantities(id, out);
    return out;
  }

 private:
  std::vector<std::string> names(const DimList& dims) const {
    std::vector<std::string> out;
    for (const DimId d : dims) out.push_back(graph_.name(d));
    return out;
  }

  ExplainedRule rule(RuleId id) const {
    if (!id) return {};
    const RuleRef& ref = notes_.rules[id];
    return {ref.text, ref.span};
  }

  void add_placement(NodeId id, ExplainedNode& out) const {
    const NodePlacement& p = notes_.nodes[id];
    for (const auto& [d, axes] : p.axes) {
      const std::string over = notes_.mesh.describe(axes, shown_);
      if (over.empty()) continue;
      RuleId rule;
      for (const auto& [axis, why] : p.why) {
        if (axis == axes[0]) rule = why;
      }
      out.placement.push_back({graph_.name(d), over, this->rule(rule)});
    }
  }

  /// Collects the transfers of each node: of tensors that it reads or produces, and of weights that it is the first to
  /// use.
  void index_transfers() {
    transfers_of_.resize(graph_.nodes.size());
    for (std::size_t i = 0; i < notes_.transfers.size(); ++i) {
      const Transfer& t = notes_.transfers[i];
      const auto add = [&](NodeId id) {
        if (id && !contains(transfers_of_[id], i)) transfers_of_[id].push_back(i);
      };
      add(t.reader);
      if (t.tensor) add(graph_.tensors[t.tensor].producer);
      if (t.weight && !graph_.weights[t.weight].uses.empty()) add(graph_.weights[t.weight].uses[0].first);
    }
  }

  /// Adds the transfers of the node over more than one rank.
  void add_transfers(NodeId id, ExplainedNode& out) const {
    const Elements& all = run_.evaluator().elements(kTransferSet);
    for (const std::size_t i : transfers_of_[id]) {
      const Transfer& t = notes_.transfers[i];
      const auto field = [&](const char* name) { return all.fields.find(name)->second[i]; };
      if (field("ranks").scalar.value <= 1) continue;
      out.transfers.push_back({std::string(to_string(t.phase)), std::string(to_string(t.kind)), human(field("axes")), t.name, human(field("shape")),
                               std::string(to_string(t.cadence)), explained(field("bytes")), rule(t.weight_rule ? t.weight_rule : t.rule)});
    }
  }

  void add_kept(NodeId id, ExplainedNode& out) const {
    const Elements& all = run_.evaluator().elements(kSavedSet);
    for (const std::size_t i : saved_of_[id]) {
      const Saved& s = notes_.saved[i];
      const char* how = s.rebuilt ? "recomputed" : s.once ? "once for all layers of a stage" : "";
      out.kept.push_back({all.names[i], human(all.fields.find("shape")->second[i]), how, explained(all.fields.find("bytes")->second[i])});
    }
  }

  /// Adds the nonzero quantities of the accounting's report `node`, by phase.
  void add_quantities(NodeId id, ExplainedNode& out) {
    Evaluator& evaluator = run_.evaluator();
    const Point at = evaluator.choose(nowhere(), kNodeSet, id.number());
    for (const auto& [_, name] : quantities_) {
      for (std::size_t phase = 0; phase < run_.program().set(kPhaseSet).words.size(); ++phase) {
        const Point p = evaluator.choose(at, kPhaseSet, static_cast<WordId>(phase));
        const Answer answer = evaluator.ask(*name, p);
        if (!answer.report_unless_absent(diagnostics_) || !answer.value.is_number() || answer.value.scalar.value == 0) continue;
        if (std::optional<Explanation> quantity = explainer_.name_or_place(*name, p, depth_)) out.quantities.push_back(std::move(*quantity));
      }
    }
  }

  Run& run_;
  const Graph& graph_;
  const Annotations& notes_;
  int depth_;  ///< Levels of names below each quantity.
  Diagnostics& diagnostics_;
  Explainer& explainer_;
  std::vector<std::pair<std::string, const Name*>> quantities_ = node_quantities(run_.program());
  IdVector<AxisId, bool> shown_;                             ///< Axes with more than one rank.
  IdVector<NodeId, std::vector<std::size_t>> transfers_of_;  ///< Positions in Annotations::transfers, by node.
  IdVector<NodeId, std::vector<std::size_t>> saved_of_;      ///< Positions in Annotations::saved of the outputs of each node.
};

}  // namespace

std::vector<ExplainedNode> explained_nodes(Run& run, const std::string& pattern, Explainer& explainer, int depth, Diagnostics& diagnostics, std::size_t most) {
  std::vector<ExplainedNode> out;
  NodeExplainer nodes(run, explainer, depth, diagnostics);
  for (const NodeId id : run.graph().nodes.ids()) {
    if (glob_match(pattern, run.graph().nodes[id].name)) out.push_back(out.size() < most ? nodes.node(id) : nodes.brief_node(id));
  }
  return out;
}

std::optional<Explanations> explain_nodes(Run& run, const std::string& pattern, const ExplainOptions& options, Diagnostics& diagnostics) {
  Explanations out;
  Explainer explainer(run, options, out, diagnostics);
  out.nodes = explained_nodes(run, pattern, explainer, std::min(options.depth, 2), diagnostics);
  if (!out.nodes.empty()) return out;
  diagnostics.error({}, "no node `" + pattern + "`" + suggestion(pattern, names_of(run.graph().nodes)));
  return std::nullopt;
}

}  // namespace opledger
