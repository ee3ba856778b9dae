#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/source.h"
#include "graph/dims.h"
#include "models/model.h"
#include "ops/operator.h"

/// The operator graph: one set of nodes for each segment of equal layers, in an order in which every tensor is made before it is read.
/// Sizes are names here; what they amount to is decided by whoever evaluates them, so one graph serves every size.
namespace opledger {

using NodeId = std::int32_t;
using TensorId = std::int32_t;
using WeightId = std::int32_t;
using SegmentId = std::int32_t;

struct DimensionInfo {
  std::string name;
  ExprPtr size;  ///< In the model's scope. Null: the parameter of that name.
  bool unordered = false;
  ExprPtr load;  ///< What the busiest rank holds over an even share, in the model's scope. Null: 1.
  Span span;
};

struct Tensor {
  std::string name;   ///< `decoder.attn.q`, `decoder.moe.gates.index`, `decoder.x` (a segment's input)
  std::string label;  ///< Without the segment: `attn.q`.
  DimList dims;
  ExprPtr width;          ///< Bytes of one element; null: the width of activations.
  NodeId producer = -1;   ///< -1: a segment's input.
  std::int32_t port = 0;  ///< Which output of the producer.
  SegmentId segment = 0;
  bool data = false;      ///< From the data loader: no placement.
  bool constant = false;  ///< Has no gradient.
};

struct Operand {
  TensorId tensor = 0;
  std::vector<std::pair<DimId, DimId>> renames;  ///< (the tensor's, the reader's)
  DimList dims;                                  ///< As the reader names them.
};

struct WeightUse {
  WeightId weight = 0;
  DimList dims;
};

struct Weight {
  std::string name;  ///< `decoder.attn.q.w`
  DimList dims;
  std::vector<std::pair<NodeId, std::int32_t>> uses;  ///< (node, its weight port); more than one: tied.
};

struct Node {
  std::string name;   ///< `decoder.attn.q`
  std::string label;  ///< Without the segment.
  const Operator* op = nullptr;
  SegmentId segment = 0;
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
  NodeId first = 0, last = 0;     ///< Nodes [first, last).
  std::vector<TensorId> inputs;   ///< Activations and data of the block.
  std::vector<TensorId> sources;  ///< What each input is: an output of an earlier segment, or -1 (data).
  TensorId output = -1;
  Span span;
};

class Graph {
 public:
  std::vector<Tensor> tensors;
  std::vector<Weight> weights;
  std::vector<Segment> segments;
  std::vector<DimensionInfo> dimensions;
  std::vector<std::pair<DimId, DimId>> grouped;  ///< Fine, coarse.
  std::vector<Requirement> requirements;         ///< Of the blocks that are used and of the model, in the model's names: not yet checked.
  std::set<std::string> rebound;                 ///< Names of dimensions and parameters that stand for others in some block.

  std::size_t nodes() const { return nodes_.size(); }
  const Node& node(NodeId id) const { return nodes_[static_cast<std::size_t>(id)]; }
  Node& node(NodeId id) { return nodes_[static_cast<std::size_t>(id)]; }
  /// Data flows along operands: a node reads tensors of nodes before it. graph/traverse.h orders them.
  NodeId add(Node node) {
    nodes_.push_back(std::move(node));
    return static_cast<NodeId>(nodes_.size()) - 1;
  }

  DimId dimension(std::string_view name) const;  ///< -1: unknown.
  const std::string& name(DimId d) const { return dimensions[d].name; }

  /// Whether a segment's layers all read this input: data, or what another segment gives beside the first input, which layers hand on to each other.
  bool same_for_layers(const Segment& segment, TensorId input) const;

  /// The output of an earlier segment that a segment's input is; -1: data, or nothing.
  TensorId origin(TensorId input) const;

  /// Dimensions of a port of a node by the port's name: an operand, an output, a weight or an attribute; null if it has none of that name.
  const DimList* port(NodeId id, std::string_view name) const;

 private:
  std::vector<Node> nodes_;
};

}  // namespace opledger
