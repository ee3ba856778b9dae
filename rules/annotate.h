#pragma once
#include <optional>

#include "base/diagnostics.h"
#include "base/function_ref.h"
#include "graph/annotations.h"
#include "graph/build.h"
#include "rules/rule_set.h"

/// The rule passes in their order: place, reshard (derived collectives, forward and backward), recompute, weights, stages.
/// The semantics are those of docs/sharding.md. Sizes and degrees are not known, but for two questions.
namespace opledger {

/// What may be asked of the sizes of a run. What follows holds for all runs with the same answers.
struct SizeQuestions {
  FunctionRef<bool(DimId dimension, const Mesh& mesh, const AxisList& axes)> divides;  ///< Only `uneven: skip` asks.
  FunctionRef<bool(const Mesh& mesh, AxisId axis)> one_rank;                           ///< Where it could save something: see rules/one_rank.h.
};

/// Errors: an axis used twice, a rule with two dimensions that one node has, a weight spread twice over an axis, an axis of the layers used again.
/// Warnings: a rule that matches nothing, an axis that shards nothing, a dimension or an axis that looks like a slip.
std::optional<Annotations> annotate(const Graph& graph, const Mesh& mesh, const RuleSet& rules, const Condition& holds, const SizeQuestions& sizes,
                                    Diagnostics& diagnostics);

}  // namespace opledger
