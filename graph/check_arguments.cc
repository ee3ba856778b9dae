#include "graph/check_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/lists.h"
#include "base/text.h"

namespace opledger {
namespace {

/// Adds the names in a datum; numbers and booleans are no names.
void add_texts(const Datum& names, std::vector<std::string>& out) {
  for (const Datum& name : names.all()) {
    if (name.is_scalar() && !name.number() && !name.boolean()) out.push_back(name.text());
  }
}

/// Returns the arguments that an operator accepts.
std::vector<std::string> accepted_by(const Operator& op, std::vector<std::string> quantities) {
  quantities.insert(quantities.end(), op.parameters.begin(), op.parameters.end());
  for (const Attribute& attribute : op.attributes) quantities.push_back(attribute.name);
  return quantities;
}

void check_inputs(const std::vector<InputSpec>& inputs, const std::vector<std::string>& known, const std::string& owner, Diagnostics& diagnostics) {
  for (const InputSpec& input : inputs) {
    if (!input.port.empty() && !contains(known, input.port))
      diagnostics.error(input.port_span, fmt::format("{} has no input `{}`{}", owner, input.port, known_names(input.port, "inputs", known)));
  }
}

std::vector<std::string> names_of_inputs(const Block& block) {
  std::vector<std::string> out;
  for (const auto* tensors : {&block.inputs, &block.data}) {
    for (const TensorSpec& tensor : *tensors) out.push_back(tensor.name);
  }
  return out;
}

}  // namespace

void check_renames(const std::vector<InputSpec>& inputs, const std::vector<std::string>& mentioned, Diagnostics& diagnostics) {
  for (const InputSpec& input : inputs) {
    for (const RenameSpec& rename : input.renames) {
      if (!contains(mentioned, rename.from))
        diagnostics.error(rename.span, fmt::format("unknown dimension `{}`{}", rename.from, known_names(rename.from, "dimensions", mentioned)));
    }
  }
}

std::vector<std::string> mentioned_names(const Model& model) {
  // Collects declared names first, then the names in blocks: dimensions of inputs and outputs, targets of renames, and
  // words in arguments. Every name that some node may use legally is in the list, so a name outside of it is an error.
  std::vector<std::string> out;
  for (const Definition& parameter : model.parameters) out.push_back(parameter.name);
  for (const auto& [name, _] : model.dimensions) out.push_back(name);
  for (const auto& [name, _] : model.defaults) out.push_back(name);
  for (const auto& [fine, coarse] : model.grouped) out.insert(out.end(), {fine, coarse});
  for (const auto& [_, block] : model.blocks) {
    for (const auto* tensors : {&block.inputs, &block.data}) {
      for (const TensorSpec& tensor : *tensors) out.insert(out.end(), tensor.dims.begin(), tensor.dims.end());
    }
    for (const NodeSpec& node : block.nodes) {
      if (node.out) out.insert(out.end(), node.out->begin(), node.out->end());
      for (const InputSpec& input : node.inputs) {
        for (const RenameSpec& rename : input.renames) out.push_back(rename.to);
      }
      for (const auto& [key, value] : node.arguments) add_texts(value, out);
    }
  }
  return out;
}

void check_arguments(const Document& document, const Model& model, const OperatorLibrary& operators, const std::vector<std::string>& quantities,
                     Diagnostics& diagnostics) {
  // Visits all nodes of the document's own blocks; blocks of other documents are checked with their document. A node
  // uses an operator or a nested block, which decides the known names of its arguments and inputs.
  const std::vector<std::string> mentioned = mentioned_names(model);
  for (const auto& [_, block] : model.blocks) {
    if (block.span.file != document.root.span().file) continue;
    for (const NodeSpec& node : block.nodes) {
      const Operator* const op = operators.find(node.op);
      if (op == nullptr && node.block.empty()) continue;  // The construction of the graph reports the unknown operator.
      const std::vector<std::string> known = op != nullptr ? accepted_by(*op, quantities) : mentioned;
      check_renames(node.inputs, mentioned, diagnostics);
      const auto inner = model.blocks.find(node.block);
      if (op != nullptr)
        check_inputs(node.inputs, names_of(op->inputs), fmt::format("`{}`", op->name), diagnostics);
      else if (inner != model.blocks.end())
        check_ports(inner->second, node.inputs, node.weights, node.weight_spans, diagnostics);
      for (const auto& [key, value] : node.arguments) {
        if (contains(known, key.text())) continue;
        const std::string owner = op != nullptr ? fmt::format("`{}` has no attribute, parameter or quantity", op->name)
                                                : fmt::format("block `{}` has no dimension or parameter", node.block);
        diagnostics.error(key.span(), fmt::format("node `{}`: {} `{}`{}", node.name, owner, key.text(), known_names(key.text(), "names", known)));
      }
    }
  }
}

void check_ports(const Block& block, const std::vector<InputSpec>& inputs, const std::vector<std::pair<std::string, std::string>>& weights,
                 const std::vector<TieSpec>& spans, Diagnostics& diagnostics) {
  check_inputs(inputs, names_of_inputs(block), fmt::format("block `{}`", block.name), diagnostics);
  std::vector<std::string> nodes;
  for (const NodeSpec& node : block.nodes) nodes.push_back(node.name);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::string node = weights[i].first.substr(0, weights[i].first.find('.'));
    if (!contains(nodes, node))
      diagnostics.error(spans[i].port_span, fmt::format("block `{}` has no node `{}`{}", block.name, node, known_names(node, "nodes", nodes)));
  }
}

}  // namespace opledger
