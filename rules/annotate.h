#pragma once
#include <optional>

#include "base/diagnostics.h"
#include "graph/annotations.h"
#include "graph/condition.h"
#include "rules/rule_set.h"
#include "rules/size_queries.h"

/// Runs the rule passes in their order: placement, resharding (the derived collectives, forward and backward),
/// recomputation, weights, stages. docs/sharding.md defines their semantics. The passes know no sizes and degrees; two
/// queries are the exception (rules/size_queries.h). This is the only header of the folder that other folders need to
/// apply rules; rule_set.h has the rules.
namespace opledger {

/// Returns the annotations of a graph under the rules whose conditions hold in this run. `mesh` has axes without
/// degrees; `holds` decides conditions; `sizes` answers the queries, and the result is valid for all runs with equal
/// answers. Returns nothing after errors: a repeated axis, a rule with two dimensions of one node, a weight spread
/// twice over an axis, another use of an axis of the layers. Warnings: a rule without a match, an axis that shards
/// nothing, a dimension or axis that looks misspelled.
std::optional<Annotations> annotate(const Graph& graph, const Mesh& mesh, const RuleSet& rules, const Condition& holds, const SizeQueries& sizes,
                                    Diagnostics& diagnostics);

}  // namespace opledger
