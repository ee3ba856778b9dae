#pragma once
#include <functional>
#include <optional>

#include "base/diagnostics.h"
#include "graph/graph.h"

/// Formulas over dimensions, as operators' signatures use them: `(x ^ y) + per`, `[batch, seq]`, `2 * (x - over)`.
namespace opledger {

struct SizedDims {
  DimList dims;
  double times = 1;  ///< `2 * (…)`: elements per entry.
};

/// What a name stands for; reports an unknown one itself.
using DimLookup = std::function<std::optional<DimList>(const Expr& name)>;

/// Null, with an error, if the formula is none over dimensions or a name is unknown.
std::optional<SizedDims> evaluate_dims(const Expr& formula, const DimLookup& lookup, Diagnostics& diagnostics);

/// A formula of the node's operator (a statistic, the state of a carry) in a graph that is built. A name is a port or an attribute of the node, else a
/// dimension; null if the graph has no such dimension.
std::optional<SizedDims> node_dims(const Graph& graph, NodeId node, const Expr& formula);

/// The dimensions that one name of the operator's declarations (`frozen`, `inner`, `moved`, …) stands for at this node; empty if the graph has none of it.
DimList named_dims(const Graph& graph, NodeId node, std::string_view name);

}  // namespace opledger
