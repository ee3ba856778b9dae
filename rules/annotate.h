#pragma once
#include <optional>

#include "base/diagnostics.h"
#include "graph/annotations.h"
#include "graph/condition.h"
#include "rules/rule_set.h"
#include "rules/size_queries.h"

/// Runs the rule passes in their order: selection, cuts of axes, placement; for each segment resharding in forward (the
/// derived collectives), kernels, recomputation, saved tensors, resharding in backward; then weights, stages, cached
/// tensors, marks. docs/sharding.md defines their semantics. The passes know no sizes and degrees; two queries are the
/// exception (rules/size_queries.h). This is the only header of the folder that other folders need to apply rules;
/// rule_set.h has the rules.
namespace opledger {

/// Returns the annotations of a graph under the rules whose conditions hold in this run. `mesh` has axes without
/// degrees; `holds` decides conditions; `sizes` answers the queries, and the result is valid for all runs with equal
/// answers. Returns nothing after errors: an axis twice in one list; a rule that would split two dimensions of one
/// node; partial sums passed through an input that is not linear; a misspelled `gathered` in `keep`; an axis given both
/// to the layers and to something else. Warnings: a rule without a match, an axis that shards nothing, a dimension or
/// axis that looks misspelled.
std::optional<Annotations> annotate(const Graph& graph, const Mesh& mesh, const RuleSet& rules, const Condition& holds, const SizeQueries& sizes,
                                    Diagnostics& diagnostics);

}  // namespace opledger
