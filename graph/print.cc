#include "graph/print.h"

#include <fmt/format.h>

#include "base/text.h"
#include "expr/printer.h"

namespace opledger {

namespace {

/// `[batch seq hidden]`.
std::string names(const Graph& graph, const DimList& dims) {
  std::vector<std::string> parts;
  for (DimId d : dims) parts.push_back(graph.name(d));
  return "[" + join(parts, " ") + "]";
}

std::string operand(const Graph& graph, const Node& node, std::size_t i) {
  const Operand& in = node.inputs[i];
  std::vector<std::string> renames;
  for (const auto& [from, to] : in.renames) renames.push_back(graph.name(from) + ":" + graph.name(to));
  std::string suffix = renames.empty() ? "" : "{" + join(renames, " ") + "}";
  return fmt::format("{}={}{}", node.op->inputs[i].name, graph.tensors[in.tensor].label, suffix);
}

std::string definition_text(const Definition& definition) {
  std::vector<std::string> cases;
  for (const auto& [word, formula] : definition.cases) cases.push_back(word + ": " + to_source(*formula));
  if (definition.otherwise) cases.push_back((cases.empty() ? "" : "else: ") + to_source(*definition.otherwise));
  return fmt::format("{}={}", definition.name, definition.cases.empty() ? join(cases, "") : "{" + join(cases, ", ") + "}");
}

std::string outputs(const Graph& graph, const Node& node) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    parts.push_back((i == 0 ? "" : node.op->outputs[i].name) + names(graph, graph.tensors[node.outputs[i]].dims));
  }
  return join(parts, " ");
}

std::string weight(const Graph& graph, const Node& node, std::size_t i) {
  const std::string& port = node.op->weights[i].name;
  const Weight& shared = graph.weights[node.weights[i].weight];
  std::string text = port + names(graph, node.weights[i].dims);
  return shared.name == node.name + "." + port ? text : text + "=" + shared.name;
}

/// Prints a node's line: label, operator, operands, attributes, formulas, outputs, weights, component, tags.
std::string node_text(const Graph& graph, const Node& node) {
  std::vector<std::string> parts{node.label, node.op->name};
  for (std::size_t i = 0; i < node.inputs.size(); ++i) parts.push_back(operand(graph, node, i));
  for (const auto& [name, dims] : node.attributes) parts.push_back(name + "=" + names(graph, dims));
  for (const Definition& definition : node.definitions) parts.push_back(definition_text(definition));
  if (!node.outputs.empty()) {
    parts.emplace_back("->");
    parts.push_back(outputs(graph, node));
  }
  for (std::size_t i = 0; i < node.weights.size(); ++i) parts.push_back(weight(graph, node, i));
  if (!node.component.empty()) parts.push_back("(" + node.component + ")");
  for (const std::string& tag : node.tags) parts.push_back("#" + tag);
  return join(parts, "  ");
}

std::string input_text(const Graph& graph, const Segment& segment, std::size_t i) {
  const Tensor& tensor = graph.tensors[segment.inputs[i]];
  std::string from = segment.sources[i] ? graph.tensors[segment.sources[i]].name : tensor.data ? "data" : "nothing";
  return fmt::format("  {} = {}  {}\n", tensor.label, from, names(graph, tensor.dims));
}

std::string placement_text(const Graph& graph, const Mesh& mesh, const NodePlacement& placement) {
  std::vector<std::string> parts;
  for (const auto& [d, axes] : placement.axes) {
    if (!axes.empty()) parts.push_back(graph.name(d) + "/" + mesh.describe(axes));
  }
  if (!placement.consumed.empty()) parts.push_back("spent(" + mesh.describe(placement.consumed) + ")");
  if (!placement.passed.empty()) parts.push_back("passed(" + mesh.describe(placement.passed) + ")");
  if (!placement.summed.empty()) parts.push_back("summed(" + mesh.describe(placement.summed) + ")");
  return parts.empty() ? "replicated" : join(parts, " ");
}

/// Prints the first line of a segment, with the segments whose layers alternate with its own, such as
/// `local: gemma2_layer x layers / 2  in turn with global`.
std::string heading(const Graph& graph, const Segment& segment) {
  std::vector<std::string> others;
  for (const Segment& other : graph.segments) {
    if (segment.group >= 0 && other.group == segment.group && &other != &segment) others.push_back(other.name);
  }
  return fmt::format("{}: {}{}{}\n", segment.name, segment.block->name, segment.repeat ? " x " + to_source(*segment.repeat) : "",
                     others.empty() ? "" : "  in turn with " + join(others, ", "));
}

std::string rule_text(const Annotations& a, RuleId rule) { return !rule ? "" : "  by " + a.rules[rule].text; }

std::string marks_text(const Annotations& a, const MarkList& marks) {
  std::string text;
  for (MarkId id : marks) {
    const Mark& mark = a.marks[id];
    text += fmt::format("  {}={}{}", mark.name, visible(mark.value), !mark.rule ? "" : " by " + a.rules[mark.rule].text);
  }
  return text;
}

/// Prints the nodes of all segments, a line each, with inputs before and the output after them. With annotations, a
/// line also has the node's placement, whether the node is recomputed, and its marks. Annotations may be incomplete,
/// as passes fill one list after another.
std::string segments_text(const Graph& graph, const Annotations* annotations) {
  std::string text;
  for (const Segment& segment : graph.segments) {
    text += heading(graph, segment);
    for (std::size_t i = 0; i < segment.inputs.size(); ++i) text += input_text(graph, segment, i);
    for (const NodeId id : segment.nodes()) {
      text += "  " + visible(node_text(graph, graph.nodes[id]));
      if (annotations) text += "  |  " + placement_text(graph, annotations->mesh, annotations->nodes[id]);
      if (annotations && !annotations->recomputed.empty() && annotations->recomputed[id]) text += "  recomputed";
      if (annotations) text += marks_text(*annotations, annotations->nodes[id].marks);
      text += "\n";
    }
    if (segment.output) text += fmt::format("  = {}\n", graph.tensors[segment.output].label);
  }
  return text;
}

/// Prints the line of a transfer: collective, axes, name, elements of the message, reader, rules and marks. The number
/// of elements is `times` × entries of a margin × entries of the dimensions.
std::string transfer_text(const Graph& graph, const Annotations& a, const Transfer& t) {
  std::string text = fmt::format("    {}  {}  {}", to_string(t.kind), a.mesh.describe(t.axes), t.name);
  std::string times = t.times == 1 ? "" : fmt::format("{} ", t.times);
  std::string extent = t.extent.empty() ? "" : (t.extent.find(' ') == std::string::npos ? t.extent : "(" + t.extent + ")") + " entries of ";
  text += fmt::format("  {}{}{}", times, extent, to_text(graph, a.mesh, t.dims, t.message));
  if (t.again) text += "  again";
  if (t.cadence == Cadence::step) text += "  per step";
  if (t.reader) text += "  for " + graph.nodes[t.reader].name;
  return text + rule_text(a, t.rule) + rule_text(a, t.weight_rule) + marks_text(a, t.marks) + "\n";
}

std::string transfers_text(const Graph& graph, const Annotations& a) {
  std::string text = "transfers\n";
  for (Phase phase : {Phase::forward, Phase::recompute, Phase::agrad, Phase::wgrad, Phase::optimizer}) {
    std::string lines;
    for (const Transfer& transfer : a.transfers) {
      if (transfer.phase == phase) lines += transfer_text(graph, a, transfer);
    }
    if (!lines.empty()) text += fmt::format("  {}\n{}", to_string(phase), lines);
  }
  return text;
}

std::string saved_text(const Graph& graph, const Annotations& a) {
  std::string text = "saved\n";
  for (const Saved& saved : a.saved) {
    const Tensor& tensor = graph.tensors[saved.tensor];
    std::vector<std::string> readers;
    for (NodeId reader : saved.readers) readers.push_back(graph.nodes[reader].label);
    const char* state = saved.rebuilt ? "  recomputed" : saved.once ? "  once" : "";
    text += fmt::format("  {}  {}{}{}{}{}\n", tensor.name, to_text(graph, a.mesh, tensor.dims, saved.placement), state,
                        readers.empty() ? "" : "  for " + join(readers, " "), rule_text(a, saved.rule), marks_text(a, saved.marks));
  }
  return text;
}

/// Prints a line for each weight: its placement in computing, and each other placement that differs: between steps
/// (`stored`), between forward and backward (`kept`), of gradients and optimizer states, and of single uses.
std::string weights_text(const Graph& graph, const Annotations& a) {
  std::string text = "weights\n";
  for (const WeightId i : a.weights.ids()) {
    const Weight& weight = graph.weights[i];
    const WeightPlacement& w = a.weights[i];
    text += fmt::format("  {}  {}", weight.name, to_text(graph, a.mesh, weight.dims, w.compute));
    auto add = [&](const char* state, const Placement& placement) {
      if (placement != w.compute) text += fmt::format("  {} {}", state, to_text(graph, a.mesh, weight.dims, placement));
    };
    add("stored", w.stored);
    add("kept", w.kept);
    add("gradient", w.gradient);
    add("optimizer", w.optimizer);
    for (std::size_t use = 0; use < w.uses.size(); ++use) add(("in " + graph.nodes[weight.uses[use].first].name).c_str(), w.uses[use]);
    if (a.trained.has(i) && a.trained[i] == 0) text += "  not trained";
    for (RuleId rule : w.rules) text += rule_text(a, rule);
    text += marks_text(a, w.marks) + "\n";
  }
  return text;
}

}  // namespace

std::string to_text(const Graph& graph) { return segments_text(graph, nullptr); }

std::string to_text(const Graph& graph, const Annotations& annotations) {
  return segments_text(graph, &annotations) + transfers_text(graph, annotations) + saved_text(graph, annotations) + weights_text(graph, annotations);
}

std::string to_text(const Graph& graph, const Mesh& mesh, const DimList& dims, const Placement& placement) {
  std::vector<std::string> parts;
  for (DimId d : dims) {
    const AxisList* axes = placement.axes(d);
    parts.push_back(axes ? graph.name(d) + "/" + mesh.describe(*axes) : graph.name(d));
  }
  std::string text = "[" + join(parts, " ") + "]";
  if (const AxisList* axes = placement.axes(kElements)) text += " elements/" + mesh.describe(*axes);
  if (!placement.partial.empty()) text += " partial(" + mesh.describe(placement.partial) + ")";
  return text;
}

}  // namespace opledger
