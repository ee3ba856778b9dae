#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "graph/annotations.h"
#include "graph/condition.h"
#include "rules/rule_set.h"
#include "rules/size_queries.h"

/// Annotations tensor by tensor. The transfers and saved copies of a tensor follow from the placements of its producer
/// and its readers. A search over placements can therefore derive each tensor for a few placements, instead of the whole
/// graph for all combinations.
namespace opledger {

struct Derivation;

/// One graph whose nodes and boundaries can be placed anew. A boundary is an input or output of a segment.
class TensorDerivation {
 public:
  /// The transfers and the saved copies of one tensor.
  struct Effects {
    std::vector<Transfer> transfers;  ///< Of activations and their gradients.
    std::vector<Saved> saved;         ///< Saved copies, and copies that recomputation restores.
    /// The producer passes partial sums of the gradient on over other axes than those that were set (NodePlacement::passed),
    /// so no run has these placements.
    bool contradicts = false;
  };

  /// Annotates the graph by `rules`. The arguments, and what the functions refer to, must outlive the object. Null,
  /// with errors, if the rules can't be applied.
  static std::unique_ptr<TensorDerivation> begin(const Graph& graph, const Mesh& mesh, const RuleSet& rules, const Condition& holds, const SizeQueries& sizes,
                                                 Diagnostics& diagnostics);
  ~TensorDerivation();

  const Annotations& annotations() const;  ///< Annotations of the whole graph by the rules.
  const RuleSet& rules() const;            ///< The rules whose conditions hold.
  /// Returns the axes with several ranks that an axis or group of the mesh has.
  AxisList axes(const std::string& name) const;

  /// Returns the placement of a node or boundary by this rule, and then by the rules for all nodes. Rules for single
  /// nodes are left out.
  NodePlacement place(NodeId node, const NodeRule& rule);
  NodePlacement place_boundary(TensorId tensor, const NodeRule& rule);

  /// Sets the placement of a node, or of a tensor between segments.
  void set(NodeId node, NodePlacement placement);
  void set_boundary(TensorId tensor, NodePlacement placement);

  /// Returns the segment's readers of a tensor, each once, in order.
  std::vector<NodeId> readers(TensorId tensor) const;
  /// Return what the transfers of a tensor depend on: placements in which a node produces or reads it and its gradient, and
  /// axes over which the node passes sums on. Equal results of all nodes at a tensor have equal effects.
  std::vector<Placement> produced(NodeId node, TensorId tensor) const;
  std::vector<Placement> read(NodeId node, TensorId tensor) const;
  /// Derives one tensor from the placements that were set.
  Effects derive(TensorId tensor);
  /// Returns annotations of the graph with these transfers and saved copies, marked by the rules.
  Annotations with(std::vector<Transfer> transfers, std::vector<Saved> saved);

 private:
  struct State;
  explicit TensorDerivation(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace opledger
