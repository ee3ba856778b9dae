#include <fmt/format.h>

#include <map>

#include "base/text.h"
#include "expr/printer.h"
#include "graph/print.h"

namespace opledger {

namespace {

/// A Graphviz string: `"` and `\` are the only characters that end or change it; lines are broken by `\n`.
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

class DotWriter {
 public:
  DotWriter(const Graph& graph, const Annotations* annotations) : graph_(graph), annotations_(annotations) {
    if (annotations) collect();
  }

  std::string write() {
    out_ = "digraph graph_of_operators {\n  node [shape=box];\n";
    for (const Segment& segment : graph_.segments) cluster(segment);
    for (const Segment& segment : graph_.segments) edges(segment);
    return out_ + "}\n";
  }

 private:
  /// Collectives of the forward pass by (tensor, reader); without reader: the next segment.
  void collect() {
    for (const Transfer& t : annotations_->transfers) {
      if (t.phase != Phase::forward || !t.tensor || t.kind == Collective::slice) continue;
      labels_[{t.tensor, t.reader}].push_back(fmt::format("{} {}", to_string(t.kind), annotations_->mesh.describe(t.axes)));
    }
  }

  void cluster(const Segment& segment) {
    std::string times = segment.repeat ? " x " + to_source(*segment.repeat) : "";
    out_ += fmt::format("  subgraph {} {{\n    label={};\n", dot_string("cluster_" + segment.name), dot_string(segment.name + times));
    for (TensorId input : segment.inputs) out_ += fmt::format("    {} [shape=ellipse];\n", dot_string(graph_.tensors[input].name));
    // Nodes of one inner block need not be neighbours in the order, so each block is gathered first.
    Tree tree;
    for (const NodeId id : segment.nodes()) place(tree, id);
    write(tree, segment.name, 4);
    out_ += "  }\n";
  }

  struct Tree {
    std::vector<NodeId> nodes;
    std::map<std::string, Tree> blocks;
  };

  void place(Tree& tree, NodeId id) {
    Tree* at = &tree;
    std::vector<std::string> path = split(graph_.nodes[id].label, '.');
    for (std::size_t i = 0; i + 1 < path.size(); ++i) at = &at->blocks[path[i]];
    at->nodes.push_back(id);
  }

  void write(const Tree& tree, const std::string& name, int indent) {
    for (NodeId id : tree.nodes) {
      const Node& node = graph_.nodes[id];
      std::string text = split(node.label, '.').back() + "\n" + node.op->name;
      if (annotations_) text += placement(id);
      out_ += fmt::format("{:{}}{} [label={}];\n", "", indent, dot_string(node.name), dot_string(text));
    }
    for (const auto& [block, inner] : tree.blocks) {
      std::string full = name + "." + block;
      out_ += fmt::format("{:{}}subgraph {} {{\n{:{}}label={};\n", "", indent, dot_string("cluster_" + full), "", indent + 2, dot_string(block));
      write(inner, full, indent + 2);
      out_ += fmt::format("{:{}}}}\n", "", indent);
    }
  }

  std::string placement(NodeId id) const {
    std::string text;
    for (const auto& [d, axes] : annotations_->nodes[id].axes) {
      if (!axes.empty()) text += fmt::format("{}{}/{}", text.empty() ? "\n" : " ", graph_.name(d), annotations_->mesh.describe(axes));
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
  std::map<std::pair<TensorId, NodeId>, std::vector<std::string>> labels_;
  std::string out_;
};

}  // namespace

std::string to_dot(const Graph& graph, const Annotations* annotations) { return DotWriter(graph, annotations).write(); }

}  // namespace opledger
