#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>

#include "accounting/sizes.h"

/// Values of a node that formulas can name: ports, dimensions and attributes as sizes, and sums over ports.
namespace opledger {

class GraphNodeValues {
 public:
  GraphNodeValues(Inquiry& inquiry, const GraphRun& run, std::shared_ptr<Sizes> sizes);

  /// Returns the value of a name at a node, on one rank or of the whole tensor; nothing if the node has no such name.
  std::optional<Answer> value(NodeId node, const std::string& name, WordId extent);

 private:
  std::optional<Value> compute(NodeId node, const std::string& name, WordId extent);
  Scalar dims(NodeId node, const DimList& dims, WordId extent);
  Scalar volume(NodeId node, WordId extent);
  Value tensor_bytes(NodeId node, const DimList& dims, TensorId tensor, WordId extent);
  Value weight_bytes(NodeId node, const WeightUse& use, const char* width, WordId extent);
  Value sum(std::initializer_list<Value> values);
  std::optional<Value> derived(NodeId node, const std::string& name, WordId extent);
  struct Read {
    NodeId node;
    const DimList* dims;
  };
  std::map<TensorId, Read> read_tensors(NodeId node, const std::set<std::string>& ports) const;
  std::set<std::string> read_ports(NodeId node, bool of_weights) const;
  Value reads(NodeId node, bool of_weights, WordId extent);
  bool same_kernel(NodeId a, NodeId b) const;
  bool inner(TensorId tensor) const;
  bool is_read(TensorId tensor);
  bool comes_in(NodeId node, TensorId tensor) const;
  bool has_gradient(NodeId node, const std::string& port) const;
  Value width(const char* name);

  Inquiry& inquiry_;
  const GraphRun& run_;
  std::shared_ptr<Sizes> sizes_;
  IdVector<TensorId, std::uint8_t> read_;  ///< True if an operator or a segment reads the tensor. Empty before the first request.
};

/// Returns whether backward computes a gradient of one of the node's inputs (or of its weights).
bool has_agrad(const Graph& graph, const Annotations& annotations, NodeId node);
bool has_wgrad(const Graph& graph, const Annotations& annotations, NodeId node);

}  // namespace opledger
