#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/resolver.h"
#include "graph/signature.h"

/// Construction of one node: the operator's signature is evaluated for the node's arguments, inputs first, then
/// outputs, then weights.
namespace opledger {

/// Parts of the current segment that the graph already has.
struct SegmentState {
  Expansion* expansion = nullptr;
  SegmentId segment;
  std::string name;
  std::vector<TensorId> inputs;                        ///< Tensors of the inputs; none for an unusable input.
  IdVector<PendingId, std::vector<TensorId>> outputs;  ///< Output tensors of each node; empty after errors.
};

class NodeBuilder {
 public:
  NodeBuilder(Graph& graph, DimensionTable& dimensions, SegmentState& state)
      : graph_(graph), dimensions_(dimensions), diagnostics_(dimensions.diagnostics()), state_(state) {}

  /// Adds the node, its tensors and its edges to the graph. Returns false after errors, or if an operand is missing
  /// because of earlier errors.
  bool build(PendingId id, const std::vector<Source>& sources);

 private:
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
  bool check_input(const Port& port, const Operand& operand, const InputSpec& edge);
  std::optional<DimList> stated_dims(const Port& port);
  std::optional<DimList> formula(const Port& port);
  std::optional<DimList> look_up(const Expr& name);
  std::string rename_hint(const std::string& tensor, const DimList& found, const DimList& expected) const;
  void commit();

  Graph& graph_;
  DimensionTable& dimensions_;
  Diagnostics& diagnostics_;
  SegmentState& state_;
  PendingId id_;
  PendingNode* pending_ = nullptr;
  const Operator* op_ = nullptr;
  Node node_;
  std::vector<DimList> output_dims_;
  std::map<std::string, DimList, std::less<>> ports_;  ///< Dimensions of the ports evaluated so far.
};

}  // namespace opledger
