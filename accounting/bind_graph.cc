#include <fmt/core.h>

#include <algorithm>

#include "accounting/graph_elements.h"
#include "base/text.h"
#include "expr/parser.h"
#include "formulas/link/linker.h"
#include "formulas/link/variance.h"

namespace opledger {
namespace {

/// Returns whether a name is an attribute or parameter of an operator or of its base operators.
bool is_argument(const Operator& op, const std::string& name) {
  for (const Operator* o : lineage(op)) {
    if (o->attribute(name) != nullptr) return true;
    if (contains(o->parameters, name)) return true;
  }
  return false;
}

/// Adds a definition unless the list has one from the same position, as uses of one block have.
void add_once(std::vector<const Def*>& definitions, const Def& def) {
  const auto same = [&](const Def* other) {
    return other->span.file == def.span.file && other->span.line == def.span.line && other->span.column == def.span.column;
  };
  if (std::none_of(definitions.begin(), definitions.end(), same)) definitions.push_back(&def);
}

/// Links every formula of the graph before the sets are filled. Sizes and segments see the scope of the model; widths
/// see the global names; margins see the operator of the reading node. Afterwards the variance of all formulas is
/// computed, because a node's own definition of a quantity can widen the sets on which the quantity depends.
class Binder {
 public:
  Binder(const Program& program, const NameScope& scope, const Graph& graph, const Annotations& annotations, Formulas& into, Diagnostics& diagnostics)
      : program_(program),
        scope_(scope),
        graph_(graph),
        annotations_(annotations),
        into_(into),
        diagnostics_(diagnostics),
        linker_(program, into, diagnostics) {}

  /// Links every formula of the graph and returns the formulas as a GraphRun. Each list of the result follows one table
  /// of the graph or its annotations, entry by entry: dimensions, axes, segments, nodes, tensors, transfers, cached
  /// tensors, marks. A null entry means that the document states no formula, or that linking reported an error. Sizes
  /// and repetitions see the names of the model, widths only the global names, margins also the operator of the reading
  /// node. Variance is computed last: a node's own definition of a quantity can widen the sets on which the quantity
  /// depends.
  GraphRun bind() {
    run_.graph = &graph_;
    run_.annotations = &annotations_;
    for (const DimensionInfo& info : graph_.dimensions) {
      // A dimension without a size has the size of the parameter with its name.
      run_.sizes.push_back(link(info.size ? info.size : parse_expression(info.name, info.span, diagnostics_)));
      run_.loads.push_back(link(info.load));
    }
    // The degrees of a cut axis follow from sizes and need no name.
    for (const Axis& axis : annotations_.mesh.axes) run_.degrees.push_back(axis.part == Axis::Part::whole ? program_.find(axis.name) : nullptr);
    for (const Segment& segment : graph_.segments) {
      run_.repeats.push_back(link(segment.repeat));
      run_.rounds.push_back(link(segment.rounds));
    }
    for (const NodeId n : graph_.nodes.ids()) node(graph_.nodes[n]);
    for (const Tensor& tensor : graph_.tensors) run_.tensor_widths.push_back(width(tensor.width));
    for (const Transfer& transfer : annotations_.transfers) {
      run_.transfer_widths.push_back(width(transfer.width));
      run_.margins.push_back(transfer.margin && transfer.reader ? margin(transfer.reader, transfer.margin) : nullptr);
    }
    for (const CachedTensor& cached : annotations_.cached) {
      auto& margins = run_.cached_margins.emplace_back();
      for (const auto& [reader, expr] : cached.margins) margins.push_back(margin(reader, expr));
    }
    // Formulas of marks that match no element are left out, because the model may lack their names.
    const std::set<MarkId> used = marks_in(annotations_);
    run_.marks = bind_marks(program_, scope_, into_, annotations_.marks, diagnostics_, &used);
    find_variance(program_, into_);
    run_.formulas.widened = widened(program_, into_, further_);
    return std::move(run_);
  }

 private:
  /// Links an expression against the names of the model; null without an expression.
  const Formula* link(const ExprPtr& expr) { return expr ? linker_.link(expr, scope_) : nullptr; }
  /// Links the width of an element against the global names; null without an expression.
  const Formula* width(const ExprPtr& expr) { return expr ? linker_.link(expr, *program_.global) : nullptr; }

  const Formula* margin(NodeId reader, const ExprPtr& expr) {
    NameScope& scope = linker_.scope(&scope_);
    scope.op = graph_.nodes[reader].op;
    return linker_.link(expr, scope);
  }

  /// Links the definitions of one node and appends them to `run_`, in the order of the graph's nodes. A definition is
  /// an argument (an attribute or parameter of the node's operator or of a base operator). Or it replaces a quantity of
  /// the accounting at this node. Any other name is an error. Attributes without a definition get their defaults.
  /// `further_` collects, for each quantity, the definitions that nodes add; the variance of the quantity includes
  /// them.
  void node(const Node& node) {
    auto& arguments = run_.arguments.emplace_back();
    auto& quantities = run_.formulas.quantities.emplace_back();
    run_.formulas.operators.push_back(node.op);
    for (const Definition& d : node.definitions) {
      const bool argument = is_argument(*node.op, d.name);
      const Name* quantity = program_.find(d.name);
      if (!argument && (quantity == nullptr || !quantity->at_node)) {
        unknown(node, d);
        continue;
      }
      // Null after a reported error.
      const Def* def = linker_.define(d, scope_);
      if (def == nullptr) continue;
      if (argument) {
        arguments.emplace_back(d.name, def);
      } else {
        quantities.emplace(d.name, def);
        add_once(further_[quantity], *def);
      }
    }
    for (const Operator* o : lineage(*node.op)) {  // Attributes that the node leaves at their default.
      for (const Attribute& a : o->attributes) {
        if (a.dims || !a.default_value) continue;  // An attribute that lists dimensions is no formula.
        if (std::any_of(arguments.begin(), arguments.end(), [&](const auto& argument) { return argument.first == a.name; })) continue;
        Definition d;
        d.name = a.name;
        d.span = a.span;
        d.otherwise = a.default_value;
        if (const Def* def = linker_.define(d, scope_)) arguments.emplace_back(a.name, def);
      }
    }
  }

  /// Reports a definition of a node that is no argument of its operator and no quantity of the accounting.
  void unknown(const Node& node, const Definition& d) {
    std::vector<std::string> known = node.op->parameters;
    for (const Operator* o : lineage(*node.op)) {
      for (const Attribute& a : o->attributes) known.push_back(a.name);
    }
    for (const auto& [name, global] : program_.global->names) {
      if (global->at_node) known.push_back(name);
    }
    std::sort(known.begin(), known.end());
    diagnostics_.error(d.span, fmt::format("node `{}`: `{}` has no attribute, parameter or quantity `{}`{}", node.name, node.op->name, d.name,
                                           known_names(d.name, "names", known)));
  }

  const Program& program_;
  const NameScope& scope_;
  const Graph& graph_;
  const Annotations& annotations_;
  Formulas& into_;
  Diagnostics& diagnostics_;
  Linker linker_;
  GraphRun run_;
  FurtherDefinitions further_;
};

}  // namespace

std::optional<GraphRun> bind_graph(const Program& program, const NameScope& scope, const Graph& graph, const Annotations& annotations, Formulas& into,
                                   Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.errors();
  GraphRun run = Binder(program, scope, graph, annotations, into, diagnostics).bind();
  return diagnostics.errors() == before ? std::optional(std::move(run)) : std::nullopt;
}

}  // namespace opledger
