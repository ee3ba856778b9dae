#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>

#include "accounting/sizes.h"

/// Values of a node that formulas can name: ports, dimensions and attributes as sizes, and sums over ports. The
/// evaluator calls `GraphNodeValues::value` when a formula reads such a name at a node.
namespace opledger {

/// Computes values of nodes on demand. `inquiry` and `run` must outlive the object.
class GraphNodeValues {
 public:
  GraphNodeValues(Inquiry& inquiry, const GraphRun& run, std::shared_ptr<Sizes> sizes);

  /// Returns the value of `name` at a node. `extent`: kRank for sizes on one rank, kWhole for the unsplit tensors.
  /// Nothing if the node has no such name.
  std::optional<Answer> value(NodeId node, const std::string& name, WordId extent);

 private:
  /// Returns the value of a name in the order argument, port, dimension, engine value; nothing for another name.
  std::optional<Value> compute(NodeId node, const std::string& name, WordId extent);
  /// Returns the product of the sizes of dimensions, on one rank or in total.
  Scalar dims(NodeId node, const DimList& dims, WordId extent);
  /// Returns the product of the sizes of all the node's dimensions; a coarse dimension is left out if its fine
  /// dimension is there.
  Scalar volume(NodeId node, WordId extent);
  /// Returns the bytes of a tensor, or of a weight use with the width `width`.
  Value tensor_bytes(NodeId node, const DimList& dims, TensorId tensor, WordId extent);
  Value weight_bytes(NodeId node, const WeightUse& use, const char* width, WordId extent);
  /// Returns a value that the engine derives from the tensors of the node.
  std::optional<Value> derived(NodeId node, const std::string& name, WordId extent);
  /// A tensor that a gradient reads, as one of its nodes names it.
  struct Read {
    NodeId node;          ///< Node whose placement splits the dimensions.
    const DimList* dims;  ///< The tensor's dimensions at this node.
  };
  /// Returns the stored tensors that gradients read at these ports; a tensor inside a kernel is replaced by those it is
  /// computed from.
  std::map<TensorId, Read> read_tensors(NodeId node, const std::set<std::string>& ports) const;
  /// Returns the ports that the gradients of inputs, or of weights, read.
  std::set<std::string> read_ports(NodeId node, bool of_weights) const;
  /// Returns the bytes that these gradients read.
  Value reads(NodeId node, bool of_weights, WordId extent);
  /// Returns whether two nodes run in one kernel; false if `b` is no node.
  bool same_kernel(NodeId a, NodeId b) const;
  /// Returns whether a tensor never leaves its kernel.
  bool inner(TensorId tensor) const;
  /// Returns whether an operator reads the tensor in forward, or a segment outputs it.
  bool is_read(TensorId tensor);
  /// Returns whether the kernel reads the tensor from memory first at this node.
  bool comes_in(NodeId node, TensorId tensor) const;
  /// Returns whether backward computes the gradient of a node's input or weight, by its port.
  bool has_gradient(NodeId node, const std::string& port) const;
  /// Returns the value of a name of the accounting in bytes; 1 byte without the name.
  Value width(const char* name);

  Inquiry& inquiry_;
  const GraphRun& run_;
  std::shared_ptr<Sizes> sizes_;
  IdVector<TensorId, std::uint8_t> read_;  ///< True if an operator or a segment reads the tensor. Empty before the first request.
};

/// Returns whether backward computes a gradient of at least one input of the node.
bool has_agrad(const Graph& graph, const Annotations& annotations, NodeId node);
/// Returns whether backward computes a gradient of at least one weight of the node.
bool has_wgrad(const Graph& graph, const Annotations& annotations, NodeId node);

}  // namespace opledger
