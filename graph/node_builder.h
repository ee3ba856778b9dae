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
  bool arguments();                                                                   ///< Reads all written attributes, parameters and quantities.
  bool argument(const Datum& key, const Datum& value);                                ///< Reads one of them.
  bool defaults();                                                                    ///< Adds default attributes and checks required ones.
  void add_substitutions();                                                           ///< Adds dimensions that enclosing blocks substitute.
  bool inputs(const std::vector<Source>& sources);                                    ///< Adds the operands.
  bool outputs();                                                                     ///< Finds the dimensions of outputs.
  bool weights();                                                                     ///< Finds the dimensions of weights.
  std::optional<Operand> operand(const Source& source);                               ///< Follows a source to its operand.
  bool rename(const Layer& layer, DimList& dims);                                     ///< Applies the renames of one edge.
  bool check_declared(const Layer& layer, const DimList& dims);                       ///< Compares dimensions with those of a block input.
  bool check_input(const Port& port, const Operand& operand, const InputSpec& edge);  ///< Compares an operand with the signature.
  std::optional<DimList> stated_dims(const Port& port);                               ///< Reads `out` of the node.
  std::optional<DimList> formula(const Port& port);                                   ///< Evaluates the formula of a port.
  std::optional<DimList> look_up(const Expr& name);                                   ///< Returns the dimensions of a name in a signature.
  /// Returns the end of a message that suggests a rename on the edge; empty if none is likely.
  std::string rename_hint(const std::string& tensor, const DimList& found, const DimList& expected) const;
  void commit();  ///< Adds the finished node to the graph.

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
