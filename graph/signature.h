#pragma once
#include <functional>
#include <optional>

#include "base/diagnostics.h"
#include "graph/graph.h"

/// Evaluation of formulas over dimensions, as in the signatures of operators: `(x ^ y) + per`, `[batch, seq]`, `2 * (x
/// - over)`.
namespace opledger {

/// Dimensions with a factor: the number of elements is `times` × the product of the sizes.
struct SizedDims {
  DimList dims;
  double times = 1;  ///< Elements per entry, from `2 * (…)`.
};

/// Returns the dimensions of a name; reports an unknown name itself.
using DimLookup = std::function<std::optional<DimList>(const Expr& name)>;

/// Evaluates a formula: `+`, `-` and `^` are union, difference and symmetric difference of ordered sets. Returns
/// nothing, with an error, if the formula does not yield dimensions or a name is unknown.
std::optional<SizedDims> evaluate_dims(const Expr& formula, const DimLookup& lookup, Diagnostics& diagnostics);

/// Evaluates a formula of the node's operator, such as a statistic or a carried state, in a finished graph. A name is
/// a port or an attribute of the node, else a dimension. Returns nothing if the graph lacks a dimension or the formula
/// is no formula of dimensions; no error is reported.
std::optional<SizedDims> node_dims(const Graph& graph, NodeId node, const Expr& formula);

/// Returns the dimensions of a name in the operator's declarations (`frozen`, `inner`, `moved`, …) at this node; empty
/// if the graph lacks them.
DimList named_dims(const Graph& graph, NodeId node, std::string_view name);

}  // namespace opledger
