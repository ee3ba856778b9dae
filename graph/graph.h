#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/id.h"
#include "base/source.h"
#include "graph/dims.h"
#include "models/model.h"
#include "ops/operator.h"

/// The operator graph. Each segment of equal layers has one set of nodes, in topological order. Sizes are formulas
/// here, so one graph serves all sizes.
namespace opledger {

struct Node;
struct Segment;
struct Tensor;
struct Weight;
using NodeId = Id<Node>;
using SegmentId = Id<Segment>;
using TensorId = Id<Tensor>;
using WeightId = Id<Weight>;

/// A named extent of tensors, such as `seq`.
struct DimensionInfo {
  std::string name;
  ExprPtr size;            ///< Formula in the model's scope; null: the parameter of that name.
  bool unordered = false;  ///< The entries may lie on ranks in any order and number, such as slots of experts.
  bool rounds = false;     ///< The size is rounded down to a whole number, unless it is a mean.
  bool mean = false;       ///< The size is an average: any number above 0, divided without rounding.
  std::string continues;   ///< The dimension of a call's own entries, if this one also has the entries of earlier calls; else empty.
  std::string variant_of;  ///< Name of another dimension. Some segments have this fixed size in its place, and its rules apply here. Else empty.
  ExprPtr load;            ///< Entries of the busiest rank relative to an even split, in the model's scope; null: 1.
  Span span;
};

/// An activation or an input: the output of a node, or an input of a segment.
struct Tensor {
  std::string name;   ///< `decoder.attn.q`, `decoder.moe.gates.index`, `decoder.x` (a segment's input).
  std::string label;  ///< Name without the segment: `attn.q`.
  DimList dims;
  ExprPtr width;         ///< Bytes of one element; null: the width of activations.
  NodeId producer;       ///< Node that computes the tensor; none for a segment's input.
  std::size_t port = 0;  ///< Position among the producer's outputs.
  SegmentId segment;
  bool data = false;      ///< The tensor comes from the data loader and has no placement.
  bool constant = false;  ///< The tensor has no gradient.
};

/// A tensor as a node reads it.
struct Operand {
  TensorId tensor;
  std::vector<std::pair<DimId, DimId>> renames;  ///< Pairs of (the tensor's dimension, the reader's dimension).
  DimList dims;                                  ///< Dimensions as the reader names them.
};

/// A weight as a node uses it.
struct WeightUse {
  WeightId weight;
  DimList dims;  ///< Dimensions as the node names them.
};

/// A learned tensor of one layer, which one or several nodes use.
struct Weight {
  std::string name;                                  ///< `decoder.attn.q.w`.
  DimList dims;                                      ///< Dimensions; every use has the same, perhaps in another order.
  std::vector<std::pair<NodeId, std::size_t>> uses;  ///< Pairs of (node, its weight port); a tied weight has several.
};

/// One use of an operator.
struct Node {
  std::string name;   ///< `decoder.attn.q`.
  std::string label;  ///< Name without the segment.
  const Operator* op = nullptr;
  SegmentId segment;
  std::string component;                                   ///< Part of the model in reports, such as `attention`; may be empty.
  std::vector<std::string> tags;                           ///< Words that rules match.
  std::vector<Operand> inputs;                             ///< Operands in the order of the operator's ports.
  std::vector<TensorId> outputs;                           ///< Results in the order of the operator's ports.
  std::vector<WeightUse> weights;                          ///< Weights in the order of the operator's ports.
  std::map<std::string, DimList, std::less<>> attributes;  ///< Attributes that are lists of dimensions.
  std::vector<Definition> definitions;                     ///< Formulas of the node: attributes, parameters, quantities.
  DimList dims;                                            ///< Union of the dimensions of operands, outputs and weights.
  Span span;
};

/// A run of equal layers, which share one set of nodes.
struct Segment {
  std::string name;
  std::string whole;              ///< Name of the model's segment of which this one is a part; without parts, the segment's own name.
  bool single = false;            ///< True if the model writes the whole segment as a single layer (SegmentSpec::single), so that its parts share each weight.
  bool even = false;              ///< The layers lie evenly among those of the next segment, another part of the same whole.
  const Block* block = nullptr;   ///< The block that each layer instantiates.
  ExprPtr repeat;                 ///< Number of layers, in the model's scope; null: one.
  ExprPtr rounds;                 ///< Number of rounds of the group; null without a group.
  int group = -1;                 ///< Equal for neighboring segments that take turns, with a fixed number of layers of each per round; -1: no group.
  NodeId first, last;             ///< Range of nodes, end exclusive.
  std::vector<TensorId> inputs;   ///< Activations, then data, of the block.
  std::vector<TensorId> sources;  ///< Source of each input: the output of an earlier segment, or none for data.
  TensorId output;                ///< Result of a layer; none if the block has no output.
  Span span;

  /// Returns the numbers of the segment's nodes, in topological order.
  Ids<NodeId> nodes() const { return {first, last}; }
};

/// The operators of a whole model, segment by segment.
struct Graph {
  IdVector<NodeId, Node> nodes;  ///< A node reads only tensors of earlier nodes; see graph/traverse.h.
  IdVector<TensorId, Tensor> tensors;
  IdVector<WeightId, Weight> weights;
  IdVector<SegmentId, Segment> segments;
  IdVector<DimId, DimensionInfo> dimensions;
  std::vector<std::pair<DimId, DimId>> grouped;  ///< Pairs of (fine, coarse) dimension: several fine entries, such as query heads, belong to one coarse entry.
  std::vector<Requirement> requirements;         ///< Unchecked requirements of the used blocks and of the model, in the model's names.
  std::set<std::string> rebound;                 ///< Names of dimensions and parameters that a block substitutes.

  DimId dimension(std::string_view name) const;                          ///< Returns the dimension of this name; none for an unknown name.
  const std::string& name(DimId d) const { return dimensions[d].name; }  ///< Returns the name of a dimension.

  /// Returns whether all layers of a repeated segment read this input: data, or an output of another segment. The first
  /// input is the exception, because each layer reads the output of the previous layer.
  bool same_for_layers(const Segment& segment, TensorId input) const;

  /// Returns the output of an earlier segment that feeds an input of a segment; none for data, and for tensors that are
  /// no input.
  TensorId origin(TensorId input) const;

  /// Returns the dimensions of a port of a node, by name: an operand, an output, a weight or an attribute. Null without
  /// such a port.
  const DimList* port(NodeId id, std::string_view name) const;
};

}  // namespace opledger
