#include <fmt/core.h>

#include <algorithm>

#include "accounting/graph_elements.h"
#include "base/text.h"
#include "expr/parser.h"
#include "formulas/linker.h"
#include "formulas/reader.h"
#include "formulas/variance.h"

namespace opledger {
namespace {

bool is_argument(const Operator& op, const std::string& name) {
  for (const Operator* o : lineage(op)) {
    if (o->attribute(name) != nullptr) return true;
    if (std::find(o->parameters.begin(), o->parameters.end(), name) != o->parameters.end()) return true;
  }
  return false;
}

/// Nodes that one line of a block makes give one definition, however many graphs are made of it.
bool add_by_node(const Program& program, Name& quantity, const Def& def) {
  const auto same = [&](const Def* other) {
    return other->span.file == def.span.file && other->span.line == def.span.line && other->span.column == def.span.column;
  };
  if (std::any_of(quantity.by_node.begin(), quantity.by_node.end(), same)) return false;
  quantity.by_node.push_back(&def);
  return widens(program, quantity, def);
}

/// Whether the node's own definitions make quantities vary with more.
bool bind_node(Program& program, const Node& node, GraphRun& run, Diagnostics& diagnostics) {
  bool widened = false;
  auto& arguments = run.arguments.emplace_back();
  auto& quantities = run.formulas.quantities.emplace_back();
  run.formulas.operators.push_back(node.op);
  for (const Definition& d : node.definitions) {
    const bool argument = is_argument(*node.op, d.name);
    Name* quantity = program.find(d.name);
    if (!argument && (quantity == nullptr || !quantity->at_node)) {
      std::vector<std::string> known = node.op->parameters;
      for (const Operator* o : lineage(*node.op)) {
        for (const Attribute& a : o->attributes) known.push_back(a.name);
      }
      for (const auto& [name, global] : program.global->names) {
        if (global->at_node) known.push_back(name);
      }
      std::sort(known.begin(), known.end());
      diagnostics.error(
          d.span, fmt::format("node `{}`: `{}` has no attribute, parameter or quantity `{}`{}", node.name, node.op->name, d.name, suggestion(d.name, known)));
      continue;
    }
    const Def* def = link_definition(program, d, *program.graph, diagnostics);
    if (def == nullptr) continue;
    if (argument) {
      arguments.emplace_back(d.name, def);
    } else {
      quantities.emplace(d.name, def);
      widened = add_by_node(program, *quantity, *def) || widened;
    }
  }
  for (const Operator* o : lineage(*node.op)) {  // attributes that the node leaves to their default
    for (const Attribute& a : o->attributes) {
      if (a.dims || !a.default_value) continue;
      if (std::any_of(arguments.begin(), arguments.end(), [&](const auto& given) { return given.first == a.name; })) continue;
      Definition d;
      d.name = a.name;
      d.span = a.span;
      d.otherwise = a.default_value;
      if (const Def* def = link_definition(program, d, *program.graph, diagnostics)) arguments.emplace_back(a.name, def);
    }
  }
  return widened;
}

}  // namespace

std::optional<GraphRun> bind_graph(Program& program, const Graph& graph, const Annotations& annotations, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.errors();
  GraphRun run;
  run.graph = &graph;
  run.annotations = &annotations;
  for (const DimensionInfo& info : graph.dimensions) {
    const ExprPtr size = info.size ? info.size : parse_expression(info.name, info.span, diagnostics);
    run.sizes.push_back(link_formula(program, size, *program.graph, diagnostics));
    run.loads.push_back(info.load ? link_formula(program, info.load, *program.graph, diagnostics) : nullptr);
  }
  for (const Axis& axis : annotations.mesh.axes) run.degrees.push_back(axis.part == Axis::Part::whole ? program.find(axis.name) : nullptr);
  for (const Segment& segment : graph.segments) {
    run.repeats.push_back(segment.repeat ? link_formula(program, segment.repeat, *program.graph, diagnostics) : nullptr);
    run.rounds.push_back(segment.rounds ? link_formula(program, segment.rounds, *program.graph, diagnostics) : nullptr);
  }
  bool widened = false;
  for (std::size_t n = 0; n < graph.nodes(); ++n) widened = bind_node(program, graph.node(static_cast<NodeId>(n)), run, diagnostics) || widened;
  for (const Tensor& tensor : graph.tensors)
    run.tensor_widths.push_back(tensor.width ? link_formula(program, tensor.width, *program.global, diagnostics) : nullptr);
  for (const Transfer& transfer : annotations.transfers) {
    run.transfer_widths.push_back(transfer.width ? link_formula(program, transfer.width, *program.global, diagnostics) : nullptr);
    const Formula* margin = nullptr;
    if (transfer.margin && transfer.reader >= 0) {
      Linker linker(program, diagnostics);
      NameScope& scope = linker.scope(program.graph);
      scope.op = graph.node(transfer.reader).op;
      margin = linker.link(transfer.margin, scope);
    }
    run.margins.push_back(margin);
  }
  run.marks = bind_marks(program, annotations.marks, diagnostics);
  if (widened) find_variance(program);
  if (diagnostics.errors() != before) return std::nullopt;
  return run;
}

}  // namespace opledger
