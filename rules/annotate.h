#pragma once
#include <optional>

#include "base/diagnostics.h"
#include "graph/annotations.h"
#include "graph/condition.h"
#include "rules/rule_set.h"
#include "rules/size_questions.h"

/// The rule passes in their order: place, reshard (derived collectives, forward and backward), recompute, weights, stages.
/// The semantics are those of docs/sharding.md. Sizes and degrees are not known, but for two questions.
namespace opledger {

/// Errors: an axis used twice, a rule with two dimensions that one node has, a weight spread twice over an axis, an axis of the layers used again.
/// Warnings: a rule that matches nothing, an axis that shards nothing, a dimension or an axis that looks like a slip.
std::optional<Annotations> annotate(const Graph& graph, const Mesh& mesh, const RuleSet& rules, const Condition& holds, const SizeQuestions& sizes,
                                    Diagnostics& diagnostics);

}  // namespace opledger
