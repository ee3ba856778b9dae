#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "expr/printer.h"
#include "graph/print.h"

namespace opledger {

namespace {

/// Returns a Graphviz string. Only `"` and `\` need an escape; `\n` breaks lines.
std::string dot_string(const std::string& text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '\n') {
      result += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

/// Writes one cluster per segment with nested clusters for blocks, then the edges. Collectives are collected first,
/// because a collective is printed at the edge of its tensor if the drawing has one, else at a node.
class DotWriter {
 public:
  DotWriter(const Graph& graph, const Annotations* annotations, const DrawnNotes& notes) : graph_(graph), annotations_(annotations), notes_(notes) {
    if (annotations) collect();
  }

  std::string write() {
    out_ = "digraph graph_of_operators {\n  node [shape=box];\n";
    if (!notes_.title.empty()) out_ += fmt::format("  label={};\n  labelloc=t;\n", dot_string(notes_.title));
    for (const Segment& segment : graph_.segments) cluster(segment);
    for (const Segment& segment : graph_.segments) edges(segment);
    return out_ + "}\n";
  }

 private:
  /// Sorts the texts of collectives by their place in the drawing: on the edge from tensor to reader (`labels_`), at a
  /// node (`at_nodes_`), or at an input of a segment (`at_inputs_`). The edge is preferred, if the reader has the
  /// tensor as an operand; an edge without reader leads to the next segment. Slices, and transfers whose entry in
  /// `notes_` is empty, move nothing and are left out.
  void collect() {
    for (std::size_t i = 0; i < annotations_->transfers.size(); ++i) {
      const Transfer& t = annotations_->transfers[i];
      if (t.kind == Collective::slice || (i < notes_.transfers.size() && !notes_.transfers[i])) continue;
      const NodeId node = place_of(t);
      if (t.tensor && (reads(t.reader, t.tensor) || (t.phase == Phase::forward && !t.reader)))
        labels_[{t.tensor, t.reader}].push_back(text_of(t, i));
      else if (node)
        at_nodes_[node].push_back(text_of(t, i));
      else if (t.tensor)
        at_inputs_[t.tensor].push_back(text_of(t, i));
    }
  }

  bool reads(NodeId node, TensorId tensor) const {
    if (!node) return false;
    const auto& inputs = graph_.nodes[node].inputs;
    return std::any_of(inputs.begin(), inputs.end(), [&](const Operand& operand) { return operand.tensor == tensor; });
  }

  /// Returns the node for a transfer without edge: the reader, else the producer of the tensor or the first user of the
  /// weight.
  NodeId place_of(const Transfer& t) const {
    if (t.reader || !t.weight) return t.reader || !t.tensor ? t.reader : graph_.tensors[t.tensor].producer;
    const auto& uses = graph_.weights[t.weight].uses;
    return uses.empty() ? NodeId() : uses[0].first;
  }

  /// Formats `all-to-all ep 448 MiB`, with the phase in front unless it is forward.
  std::string text_of(const Transfer& t, std::size_t i) const {
    const std::string phase = t.phase == Phase::forward ? "" : fmt::format("{} ", to_string(t.phase));
    const std::string moved = i < notes_.transfers.size() ? " " + *notes_.transfers[i] : "";
    return fmt::format("{}{} {}{}", phase, to_string(t.kind), described(t.axes), moved);
  }

  std::string described(const AxisList& axes) const {
    const Mesh& mesh = annotations_->mesh;
    return notes_.shown ? mesh.describe(axes, *notes_.shown) : mesh.describe(axes);
  }

  std::string input(TensorId id) const {
    const std::string name = dot_string(graph_.tensors[id].name);
    const auto found = at_inputs_.find(id);
    if (found == at_inputs_.end()) return name + " [shape=ellipse]";
    return fmt::format("{} [shape=ellipse label={}]", name, dot_string(graph_.tensors[id].name + lines(found->second)));
  }

  void cluster(const Segment& segment) {
    std::string times = segment.repeat ? " x " + to_source(*segment.repeat) : "";
    out_ += fmt::format("  subgraph {} {{\n    label={};\n", dot_string("cluster_" + segment.name), dot_string(segment.name + times));
    for (const TensorId id : segment.inputs) out_ += fmt::format("    {};\n", input(id));
    // Nodes of a nested block need not be adjacent in the order, so each block is gathered first.
    Tree tree;
    for (const NodeId id : segment.nodes()) place(tree, id);
    write(tree, segment.name, 4);
    out_ += "  }\n";
  }

  struct Tree {
    std::vector<NodeId> nodes;
    std::map<std::string, Tree> blocks;
  };

  /// Inserts a node into the tree of blocks along its dotted label.
  void place(Tree& tree, NodeId id) {
    Tree* at = &tree;
    std::vector<std::string> path = split(graph_.nodes[id].label, '.');
    for (std::size_t i = 0; i + 1 < path.size(); ++i) at = &at->blocks[path[i]];
    at->nodes.push_back(id);
  }

  /// Writes the nodes of a block, then its nested blocks as clusters, recursively. `name` is the block's dotted name
  /// with the segment, which makes the names of clusters unique. A node's label has its name, operator, placement,
  /// notes, and the collectives without an edge.
  void write(const Tree& tree, const std::string& name, int indent) {
    for (NodeId id : tree.nodes) {
      const Node& node = graph_.nodes[id];
      std::string text = split(node.label, '.').back() + "\n" + node.op->name;
      if (annotations_) text += placement(id);
      if (id.index() < notes_.nodes.size()) text += lines(notes_.nodes[id]);
      if (const auto found = at_nodes_.find(id); found != at_nodes_.end()) text += lines(found->second);
      out_ += fmt::format("{:{}}{} [label={}];\n", "", indent, dot_string(node.name), dot_string(text));
    }
    for (const auto& [block, inner] : tree.blocks) {
      std::string full = name + "." + block;
      out_ += fmt::format("{:{}}subgraph {} {{\n{:{}}label={};\n", "", indent, dot_string("cluster_" + full), "", indent + 2, dot_string(block));
      write(inner, full, indent + 2);
      out_ += fmt::format("{:{}}}}\n", "", indent);
    }
  }

  static std::string lines(const std::vector<std::string>& texts) { return texts.empty() ? "" : "\n" + join(texts, "\n"); }

  std::string placement(NodeId id) const {
    std::string text;
    for (const auto& [d, axes] : annotations_->nodes[id].axes) {
      const std::string over = axes.empty() ? "" : described(axes);
      if (!over.empty()) text += fmt::format("{}{}/{}", text.empty() ? "\n" : " ", graph_.name(d), over);
    }
    return text;
  }

  void edges(const Segment& segment) {
    for (std::size_t i = 0; i < segment.inputs.size(); ++i) {
      if (segment.sources[i]) edge(segment.sources[i], graph_.tensors[segment.inputs[i]].name, {});
    }
    for (const NodeId id : segment.nodes()) {
      for (const Operand& operand : graph_.nodes[id].inputs) edge(operand.tensor, graph_.nodes[id].name, id);
    }
  }

  void edge(TensorId from, const std::string& to, NodeId reader) {
    const Tensor& tensor = graph_.tensors[from];
    const std::string& source = !tensor.producer ? tensor.name : graph_.nodes[tensor.producer].name;
    auto label = labels_.find({from, reader});
    std::string attributes = label == labels_.end() ? "" : fmt::format(" [label={}]", dot_string(join(label->second, "\n")));
    out_ += fmt::format("  {} -> {}{};\n", dot_string(source), dot_string(to), attributes);
  }

  const Graph& graph_;
  const Annotations* annotations_;
  const DrawnNotes& notes_;
  std::map<NodeId, std::vector<std::string>> at_nodes_;
  std::map<TensorId, std::vector<std::string>> at_inputs_;
  std::map<std::pair<TensorId, NodeId>, std::vector<std::string>> labels_;
  std::string out_;
};

}  // namespace

std::string to_dot(const Graph& graph, const Annotations* annotations, const DrawnNotes& notes) { return DotWriter(graph, annotations, notes).write(); }

}  // namespace opledger
