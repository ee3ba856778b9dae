#pragma once
#include <functional>
#include <optional>

#include "base/diagnostics.h"
#include "graph/annotations.h"
#include "graph/build.h"
#include "rules/rule_set.h"

/// The rule passes in their order: place, reshard (derived collectives, forward and backward), recompute, weights, stages.
/// The semantics are those of docs/sharding.md. Degrees are never asked for, except by `uneven: skip`.
namespace opledger {

/// Whether a dimension divides by axes in this run: only `uneven: skip` asks, because its structure depends on it.
using Divides = std::function<bool(DimId dimension, const Mesh& mesh, const AxisList& axes)>;

/// Errors: an axis used twice, a rule with two dimensions that one node has, a weight spread twice over an axis, an axis of the layers used again.
/// Warnings: a rule that matches nothing, an axis that shards nothing, a dimension or an axis that looks like a slip.
std::optional<Annotations> annotate(const Graph& graph, const Mesh& mesh, const RuleSet& rules, const Condition& holds, const Divides& divides,
                                    Diagnostics& diagnostics);

}  // namespace opledger
