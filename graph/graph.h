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

/// The operator graph: one set of nodes for each segment of equal layers, in an order in which every tensor is made before it is read.
/// Sizes are names here; what they amount to is decided by whoever evaluates them, so one graph serves every size.
namespace opledger {

struct Node;
struct Segment;
struct Tensor;
struct Weight;
using NodeId = Id<Node>;
using SegmentId = Id<Segment>;
using TensorId = Id<Tensor>;
using WeightId = Id<Weight>;

struct DimensionInfo {
  std::string name;
  ExprPtr size;  ///< In the model's scope. Null: the parameter of that name.
  bool unordered = false;
  bool rounds = false;    ///< Down to a whole number, unless it is a mean.
  bool mean = false;      ///< An average: any number above 0, shared out as it is.
  std::string continues;  ///< A dimension of which it has all entries, those of earlier calls included; empty: none.
  ExprPtr load;           ///< What the busiest rank holds over an even share, in the model's scope. Null: 1.
  Span span;
};

struct Tensor {
  std::string name;   ///< `decoder.attn.q`, `decoder.moe.gates.index`, `decoder.x` (a segment's input)
  std::string label;  ///< Without the segment: `attn.q`.
  DimList dims;
  ExprPtr width;         ///< Bytes of one element; null: the width of activations.
  NodeId producer;       ///< None: a segment's input.
  std::size_t port = 0;  ///< Which output of the producer.
  SegmentId segment;
  bool data = false;      ///< From the data loader: no placement.
  bool constant = false;  ///< Has no gradient.
};

struct Operand {
  TensorId tensor;
  std::vector<std::pair<DimId, DimId>> renames;  ///< (the tensor's, the reader's)
  DimList dims;                                  ///< As the reader names them.
};

struct WeightUse {
  WeightId weight;
  DimList dims;
};

struct Weight {
  std::string name;  ///< `decoder.attn.q.w`
  DimList dims;
  std::vector<std::pair<NodeId, std::size_t>> uses;  ///< (node, its weight port); more than one: tied.
};

struct Node {
  std::string name;   ///< `decoder.attn.q`
  std::string label;  ///< Without the segment.
  const Operator* op = nullptr;
  SegmentId segment;
  std::string component;
  std::vector<std::string> tags;
  std::vector<Operand> inputs;  ///< In the order of the operator's ports.
  std::vector<TensorId> outputs;
  std::vector<WeightUse> weights;
  std::map<std::string, DimList, std::less<>> attributes;  ///< Dimension lists.
  std::vector<Definition> definitions;                     ///< Formulas the node gives: attributes, parameters, quantities.
  DimList dims;                                            ///< Of all its operands, outputs and weights.
  Span span;
};

struct Segment {
  std::string name;
  std::string whole;    ///< The model's segment of which it is a part; without parts the name itself.
  bool single = false;  ///< The whole is written to occur once; without parts or `repeat` it always does. All layers that share a weight of it share that one.
  bool even = false;    ///< Its layers lie evenly among those of the next segment, another part of the same.
  const Block* block = nullptr;
  ExprPtr repeat;                 ///< Layers in all, in the model's scope; null: once.
  ExprPtr rounds;                 ///< How often its group comes round; null: in no group.
  int group = -1;                 ///< Equal for neighbours that take turns, so many layers of each in every round; -1: in no group.
  NodeId first, last;             ///< Nodes [first, last).
  std::vector<TensorId> inputs;   ///< Activations and data of the block.
  std::vector<TensorId> sources;  ///< What each input is: an output of an earlier segment, or none (data).
  TensorId output;
  Span span;

  Ids<NodeId> nodes() const { return {first, last}; }
};

struct Graph {
  IdVector<NodeId, Node> nodes;  ///< Data flows along operands: a node reads tensors of nodes before it. graph/traverse.h orders them.
  IdVector<TensorId, Tensor> tensors;
  IdVector<WeightId, Weight> weights;
  IdVector<SegmentId, Segment> segments;
  IdVector<DimId, DimensionInfo> dimensions;
  std::vector<std::pair<DimId, DimId>> grouped;  ///< Fine, coarse.
  std::vector<Requirement> requirements;         ///< Of the blocks that are used and of the model, in the model's names: not yet checked.
  std::set<std::string> rebound;                 ///< Names of dimensions and parameters that stand for others in some block.

  DimId dimension(std::string_view name) const;  ///< None: unknown.
  const std::string& name(DimId d) const { return dimensions[d].name; }

  /// Whether a segment's layers all read this input: data, or what another segment gives beside the first input, which layers hand on to each other.
  bool same_for_layers(const Segment& segment, TensorId input) const;

  /// The output of an earlier segment that a segment's input is; none: data, or nothing.
  TensorId origin(TensorId input) const;

  /// Dimensions of a port of a node by the port's name: an operand, an output, a weight or an attribute; null if it has none of that name.
  const DimList* port(NodeId id, std::string_view name) const;
};

}  // namespace opledger
