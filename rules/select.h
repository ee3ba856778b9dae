#pragma once
#include "graph/annotations.h"
#include "graph/condition.h"
#include "rules/rule_set.h"

/// Selection, the first pass: conditions of rules are evaluated.
namespace opledger {

/// Returns the rules whose conditions hold, with `id` set; their references are added to `annotations.rules`. A
/// condition that can't be evaluated, which `holds` has reported, counts as false. The section `parts` is left out,
/// because layers were cut into parts before the graph was built.
RuleSet select(const RuleSet& rules, const Condition& holds, Annotations& annotations);

/// Extends each rule that names a dimension to the fixed sizes that replace the dimension in segments.
void add_variants(RuleSet& rules, const Graph& graph);

}  // namespace opledger
