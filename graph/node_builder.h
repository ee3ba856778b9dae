#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/resolver.h"
#include "graph/signature.h"

/// Construction of one node: the operator's signature is evaluated for the node's arguments, inputs first, then
/// outputs, then weights. A signature is a formula of dimensions for each port of the operator.
namespace opledger {

/// Parts of the current segment that the graph already has.
struct SegmentState {
  Expansion* expansion = nullptr;                      ///< The expanded blocks of the segment.
  SegmentId segment;                                   ///< Number of the segment in the graph.
  std::string name;                                    ///< Name of the segment.
  std::vector<TensorId> inputs;                        ///< Tensors of the inputs; none for an unusable input.
  IdVector<PendingId, std::vector<TensorId>> outputs;  ///< Output tensors of each node; empty after errors.
};

/// Builds the nodes of one segment, in topological order.
class NodeBuilder {
 public:
  /// All arguments must outlive the builder.
  NodeBuilder(Graph& graph, DimensionTable& dimensions, SegmentState& state)
      : graph_(graph), dimensions_(dimensions), diagnostics_(dimensions.diagnostics()), state_(state) {}

  /// Adds the node, its tensors and its edges to the graph. `sources`: the source of each input, in the order of the
  /// operator's ports. Returns false after errors, or if an operand is missing because of earlier errors; the graph is
  /// then unchanged, except for new dimensions and requirements.
  bool build(PendingId id, const std::vector<Source>& sources);

 private:
  // The steps of `build`, for the node `node_`. Functions that return bool or an optional value report errors and then
  // return false or nothing.
  bool arguments();
  bool argument(const Datum& key, const Datum& value);
  bool defaults();
  void add_substitutions();
  bool inputs(const std::vector<Source>& sources);
  bool outputs();
  bool weights();
  std::optional<Operand> operand(const Source& source);
  bool rename(const Layer& layer, DimList& dims);
  bool check_declared(const Layer& layer, const DimList& dims);
  bool check_input(const Port& port, const Operand& operand, const InputSpec& edge);  ///< Compares an operand with the signature.
  std::optional<DimList> stated_dims(const Port& port);
  std::optional<DimList> formula(const Port& port);  ///< Evaluates the formula of a port.
  std::optional<DimList> look_up(const Expr& name);
  std::string rename_hint(const std::string& tensor, const DimList& found, const DimList& expected) const;
  void commit();

  Graph& graph_;
  DimensionTable& dimensions_;
  Diagnostics& diagnostics_;
  SegmentState& state_;
  // State of the current node:
  PendingId id_;
  PendingNode* pending_ = nullptr;                     ///< The node as expanded from its block.
  const Operator* op_ = nullptr;                       ///< Its operator.
  Node node_;                                          ///< The node under construction.
  std::vector<DimList> output_dims_;                   ///< Dimensions of the outputs.
  std::map<std::string, DimList, std::less<>> ports_;  ///< Dimensions of the ports evaluated so far.
};

}  // namespace opledger
