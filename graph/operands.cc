#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "graph/node_builder.h"

/// Operands of nodes. The edges on the path from a tensor to its reader rename the tensor's dimensions one after the
/// other.
namespace opledger {

namespace {

DimId find_twice(const DimList& dims) {
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (std::find(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(i), dims[i]) != dims.begin() + static_cast<std::ptrdiff_t>(i)) return dims[i];
  }
  return {};
}

}  // namespace

/// Returns the operand that a source yields: its tensor, its dimensions as the reader names them, and the renames
/// between both. The source has an input of the segment or an output of a node, and the edges (`layers`) from there
/// through block inputs to the reader. Each edge renames dimensions in place, so position i stays the same dimension,
/// and the renames of the whole path follow by comparing both ends. Returns nothing if the tensor is missing because
/// of an earlier error, or, with an error, if an edge is invalid.
std::optional<Operand> NodeBuilder::operand(const Source& source) {
  Operand operand;
  if (source.input >= 0) {
    operand.tensor = state_.inputs[source.input];
  } else {
    const auto& outputs = state_.outputs[source.node];
    operand.tensor = outputs.empty() ? TensorId() : outputs[source.port];
  }
  if (!operand.tensor) return std::nullopt;
  const DimList original = graph_.tensors[operand.tensor].dims;
  operand.dims = original;
  for (const Layer& layer : source.layers) {
    if (!rename(layer, operand.dims) || !check_declared(layer, operand.dims)) return std::nullopt;
  }
  for (std::size_t i = 0; i < original.size(); ++i) {
    if (original[i] != operand.dims[i]) operand.renames.emplace_back(original[i], operand.dims[i]);
  }
  return operand;
}

/// Applies the renames of one edge to `dims`. All of them refer to the dimensions before the edge, so that two
/// dimensions can be exchanged. Names of the edge are substituted by those of its block (`layer.scope`). Each rename
/// adds a requirement that the sizes agree, unless DimensionTable::renamed needs none. Returns false, with an error,
/// for an unknown dimension, or if a dimension occurs twice afterwards.
bool NodeBuilder::rename(const Layer& layer, DimList& dims) {
  const DimList before = dims;
  for (const RenameSpec& spec : layer.edge->renames) {
    const std::string &from = spec.from, &to = spec.to;
    std::vector<std::string> candidates;
    std::size_t place = before.size();
    for (std::size_t i = 0; i < before.size(); ++i) {
      candidates.push_back(dimensions_.name(before[i]));
      if (candidates.back() == layer.scope->dimension(from)) place = i;
    }
    if (place == before.size()) {
      diagnostics_.error(layer.edge->span, fmt::format("`{}` {} has no dimension `{}` to rename{}", layer.edge->tensor, dimensions_.text(before), from,
                                                       suggestion(from, candidates)));
      return false;
    }
    auto renamed = dimensions_.intern(layer.scope->dimension(to), layer.edge->span);
    if (!renamed) return false;
    dimensions_.renamed(before[place], *renamed, spec, layer.edge->tensor, layer.scope->renamed);
    dims[place] = *renamed;
  }
  DimId twice = find_twice(dims);
  if (!twice) return true;
  diagnostics_.error(layer.edge->span,
                     fmt::format("`{}` has dimension `{}` twice after this edge: rename it to another dimension", layer.edge->tensor, dimensions_.name(twice)));
  return false;
}

/// Checks that the dimensions after an edge are those that the block input at its end declares, in any order. An edge
/// that ends at a node has no declaration; `check_input` compares its dimensions with the operator's signature.
bool NodeBuilder::check_declared(const Layer& layer, const DimList& dims) {
  if (!layer.declared) return true;
  DimList declared;
  for (std::size_t i = 0; i < layer.declared->dims.size(); ++i) {
    auto d = dimensions_.intern(layer.inner->dimension(layer.declared->dims[i]), layer.declared->dim_spans[i]);
    if (!d) return false;
    declared.push_back(*d);
  }
  if (same_set(declared, dims)) return true;
  diagnostics_.error(layer.edge->span,
                     fmt::format("input `{}` of block `{}` has dimensions {}, but the block expects {}{}", layer.declared->name, layer.inner->block->name,
                                 dimensions_.text(dims), dimensions_.text(declared), rename_hint(layer.edge->tensor, dims, declared)));
  return false;
}

/// Suggests a rename if the same number of dimensions is surplus and missing.
std::string NodeBuilder::rename_hint(const std::string& tensor, const DimList& found, const DimList& expected) const {
  DimList extra = without(found, expected), missing = without(expected, found);
  if (extra.empty() || extra.size() != missing.size()) return "";
  std::vector<std::string> renames;
  for (std::size_t i = 0; i < extra.size(); ++i) renames.push_back(dimensions_.name(extra[i]) + ": " + dimensions_.name(missing[i]));
  return fmt::format(": if they are the same, rename on the edge, as in `{{{}: {{{}}}}}`", tensor, join(renames, ", "));
}

}  // namespace opledger
