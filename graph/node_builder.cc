#include "graph/node_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"
#include "graph/substitute.h"
#include "models/block_reader.h"

namespace opledger {

/// Builds a node in the order of dependencies: attributes first, because signatures name them; inputs, from which
/// outputs follow; then weights, which may depend on both. Each step fills `node_`, and `ports_` with the dimensions
/// of its ports. No node or tensor is added to the graph before all steps have succeeded. Both steps for attributes
/// always run, so that one run reports all their errors. Returns false after an error.
bool NodeBuilder::build(PendingId id, const std::vector<Source>& sources) {
  id_ = id;
  pending_ = &state_.expansion->nodes[id];
  op_ = pending_->op;
  const Scope& scope = *pending_->scope;
  node_ = Node{};
  node_.name = state_.name + "." + pending_->label;
  node_.label = pending_->label;
  node_.op = op_;
  node_.segment = state_.segment;
  node_.component = pending_->spec->component.empty() ? scope.component : pending_->spec->component;
  node_.tags = scope.tags;
  node_.tags.insert(node_.tags.end(), pending_->spec->tags.begin(), pending_->spec->tags.end());
  node_.span = pending_->spec->span;
  output_dims_.clear();
  ports_.clear();
  bool complete = arguments();
  complete = defaults() && complete;
  add_substitutions();
  if (!complete || !inputs(sources) || !outputs() || !weights()) return false;
  commit();
  return true;
}

bool NodeBuilder::arguments() {
  bool good = true;
  for (const auto& [key, value] : pending_->spec->arguments) good = argument(key, value) && good;
  return good;
}

/// Reads an argument of the node as a list of dimensions, if it sets such an attribute of the operator; else as a
/// formula: another attribute, a parameter or a quantity. Names are substituted by those of the enclosing blocks
/// (`scope.renamed`). `pending_` has the node as declared, `node_` the node under construction. Returns false after an
/// error.
bool NodeBuilder::argument(const Datum& key, const Datum& value) {
  const Scope& scope = *pending_->scope;
  const Attribute* attribute = op_->attribute(key.text());
  if (!attribute || !attribute->dims) {
    Definition definition;
    if (!parse_definition(key, value, diagnostics_, definition)) return false;
    node_.definitions.push_back(substitute(definition, scope.renamed));
    return true;
  }
  std::vector<Span> spans;
  DimList dims;
  for (const std::string& name : read_dimension_names(value, diagnostics_, spans)) {
    auto d = dimensions_.intern(scope.dimension(name), spans[dims.size()]);
    if (!d) return false;
    dims.push_back(*d);
  }
  node_.attributes[key.text()] = std::move(dims);
  return true;
}

/// Adds default values of attributes that list dimensions; defaults of other attributes are formulas of the operator
/// and need no copy here. Reports required attributes and parameters that the node lacks. Returns false after an
/// error.
bool NodeBuilder::defaults() {
  bool good = true;
  auto lacks = [&](const std::string& name, const char* role) {
    diagnostics_.error(node_.span, fmt::format("node `{}` lacks `{}`, {} of `{}`", node_.label, name, role, op_->name));
    good = false;
  };
  auto has_argument = [&](const std::string& name) {
    const auto& list = pending_->spec->arguments;
    return std::any_of(list.begin(), list.end(), [&](const auto& argument) { return argument.first.text() == name; });
  };
  for (const std::string& parameter : op_->parameters) {
    if (!has_argument(parameter)) lacks(parameter, "a parameter");
  }
  for (const Attribute& attribute : op_->attributes) {
    if (has_argument(attribute.name)) continue;
    if (attribute.required) lacks(attribute.name, attribute.dims ? "an attribute (a list of dimensions)" : "an attribute");
    if (!attribute.dims || attribute.required) continue;
    DimList dims;
    for (const std::string& name : attribute.default_dims) {
      auto d = dimensions_.intern(pending_->scope->dimension(name), attribute.span);
      if (d) dims.push_back(*d);
      good = good && d;
    }
    node_.attributes[attribute.name] = std::move(dims);
  }
  return good;
}

/// Adds attributes for substituted dimensions that the operator's declarations name. The declarations stay in the
/// operator's own names; the attribute maps each name to the block's dimension.
void NodeBuilder::add_substitutions() {
  if (pending_->scope->renamed.empty()) return;
  auto mentioned = names_in(*op_);
  for (const auto& [name, target] : pending_->scope->renamed) {
    if (mentioned.count(name) == 0 || op_->attribute(name) || op_->port(name)) continue;
    if (auto d = dimensions_.intern(target, node_.span)) node_.attributes[name] = {*d};
  }
}

/// Adds the operand of each input to the node, in the order of the operator's ports, and records its dimensions in
/// `ports_`, which later signatures name. After an error the other inputs are still checked. Returns false if an input
/// is missing or has wrong dimensions.
bool NodeBuilder::inputs(const std::vector<Source>& sources) {
  bool good = true;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    auto found = operand(sources[i]);
    if (!found) {
      good = false;
      continue;
    }
    const Port& port = op_->inputs[i];
    good = check_input(port, *found, *sources[i].layers.back().edge) && good;
    ports_[port.name] = found->dims;
    node_.inputs.push_back(std::move(*found));
  }
  return good;
}

/// Compares the dimensions of an operand with those of the signature, in any order. A broadcast input may lack some of
/// them. `edge`: the last edge to the node, for the position of the error and a suggested rename.
bool NodeBuilder::check_input(const Port& port, const Operand& operand, const InputSpec& edge) {
  if (port.shape == Port::Shape::any) return true;
  auto expected = formula(port);
  if (!expected) return false;
  const bool broadcast = contains(op_->broadcast, port.name);
  if (same_set(*expected, operand.dims) || (broadcast && without(operand.dims, *expected).empty())) return true;
  diagnostics_.error(
      edge.span, fmt::format("input `{}` of node `{}` has dimensions {}, but `{}` expects {}{}{}", port.name, node_.label, dimensions_.text(operand.dims),
                             op_->name, dimensions_.text(*expected), broadcast ? ", or some of them" : "", rename_hint(edge.tensor, operand.dims, *expected)));
  return false;
}

/// Finds the dimensions of each output: by the signature, which may name inputs, or as the node states them under
/// `out`. Reports an `out` that no output of the operator needs. Returns false after an error.
bool NodeBuilder::outputs() {
  bool states_dims = false;
  for (const Port& port : op_->outputs) {
    states_dims = states_dims || port.shape == Port::Shape::stated;
    auto dims = port.shape == Port::Shape::stated ? stated_dims(port) : formula(port);
    if (!dims) return false;
    ports_[port.name] = *dims;
    output_dims_.push_back(std::move(*dims));
  }
  if (!pending_->spec->out || states_dims) return true;
  auto message = op_->outputs.empty() ? fmt::format("node `{}` gives `out`, but `{}` has no output", node_.label, op_->name)
                                      : fmt::format("node `{}` gives `out`, but the dimensions of `{}` follow from its inputs", node_.label, op_->name);
  diagnostics_.error(pending_->spec->out_span, message);
  return false;
}

/// Returns the dimensions of an output that the node must state itself, under `out`, because the operator's signature
/// leaves them open. Names are substituted by those of the enclosing blocks. Returns nothing, with an error for each
/// mistake: no `out`, an unknown or repeated dimension, too many dimensions.
std::optional<DimList> NodeBuilder::stated_dims(const Port& port) {
  const NodeSpec& spec = *pending_->spec;
  if (!spec.out) {
    diagnostics_.error(spec.span, fmt::format("node `{}` lacks `out`, the dimensions of output `{}` of `{}`", node_.label, port.name, op_->name));
    return std::nullopt;
  }
  DimList dims;
  bool good = true;
  for (std::size_t i = 0; i < spec.out->size(); ++i) {
    auto d = dimensions_.intern(pending_->scope->dimension((*spec.out)[i]), spec.out_spans[i]);
    good = good && d;
    if (!d) continue;
    if (contains(dims, *d)) {
      const std::string& name = dimensions_.name(*d);
      diagnostics_.error(
          spec.out_spans[i],
          fmt::format("output `{}` of node `{}` has dimension `{}` twice: rename one of them on the edge it comes by, as in `{{TENSOR: {{{}: OTHER}}}}`",
                      port.name, node_.label, name, name));
      good = false;
    }
    dims.push_back(*d);
  }
  if (dims.size() > kMaxTensorDimensions) {
    diagnostics_.error(spec.out_span, fmt::format("output `{}` of node `{}` has more than {} dimensions", port.name, node_.label, kMaxTensorDimensions));
    good = false;
  }
  return good ? std::make_optional(std::move(dims)) : std::nullopt;
}

bool NodeBuilder::weights() {
  for (const Port& port : op_->weights) {
    auto dims = formula(port);
    if (!dims) return false;
    if (dims->empty()) {
      diagnostics_.error(node_.span, fmt::format("weight `{}` of node `{}` has no dimensions: does `out` differ from the input?", port.name, node_.label));
      return false;
    }
    ports_[port.name] = *dims;
    node_.weights.push_back({{}, std::move(*dims)});
  }
  return true;
}

std::optional<DimList> NodeBuilder::formula(const Port& port) {
  if (!port.dims) return std::nullopt;
  auto lookup = [this](const Expr& name) { return look_up(name); };
  auto sized = evaluate_dims(*port.dims, lookup, diagnostics_);
  if (!sized) return std::nullopt;
  return std::move(sized->dims);
}

/// Returns the dimensions of a name in a signature: of a port evaluated before, of an attribute of the node, or a
/// dimension of the model by the name that the block substitutes. Returns nothing, with an error, for an unknown name.
std::optional<DimList> NodeBuilder::look_up(const Expr& name) {
  if (auto port = ports_.find(name.text); port != ports_.end()) return port->second;
  if (auto attribute = node_.attributes.find(name.text); attribute != node_.attributes.end()) return attribute->second;
  const std::string& dimension = pending_->scope->dimension(name.text);
  if (!dimensions_.known(dimension)) {
    diagnostics_
        .error(node_.span,
               fmt::format("node `{0}`: the model has no dimension `{1}`, which `{2}` needs: declare the parameter `{1}`, and rename a dimension of an "
                           "input to it if `{2}` reads it there",
                           node_.label, dimension, op_->name))
        .note(name.span, "named here");
    return std::nullopt;
  }
  auto d = dimensions_.intern(dimension, name.span);
  return d ? std::make_optional(DimList{*d}) : std::nullopt;
}

/// Adds the finished node and its output tensors to the graph, as the last step of building a node. The first output
/// has the node's name, further outputs add the name of their port. The node's dimensions are the union of those of
/// its operands, outputs and weights, in order of first occurrence. The maps from the expansion to the graph
/// (`state_.outputs`, `pending_->id`) are updated for later readers.
void NodeBuilder::commit() {
  for (std::size_t i = 0; i < op_->outputs.size(); ++i) {
    const Port& port = op_->outputs[i];
    Tensor tensor;
    tensor.label = i == 0 ? node_.label : node_.label + "." + port.name;
    tensor.name = state_.name + "." + tensor.label;
    tensor.dims = output_dims_[i];
    tensor.width = port.width;
    tensor.producer = graph_.nodes.next();
    tensor.port = i;
    tensor.segment = state_.segment;
    tensor.constant = contains(op_->no_gradient, port.name);
    node_.outputs.push_back(graph_.tensors.add(std::move(tensor)));
  }
  for (const Operand& operand : node_.inputs) node_.dims = join(node_.dims, operand.dims);
  for (const DimList& dims : output_dims_) node_.dims = join(node_.dims, dims);
  for (const WeightUse& use : node_.weights) node_.dims = join(node_.dims, use.dims);
  state_.outputs[id_] = node_.outputs;
  pending_->id = graph_.nodes.add(std::move(node_));
}

}  // namespace opledger
