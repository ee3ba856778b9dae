#pragma once
#include "graph/annotations.h"
#include "graph/condition.h"
#include "rules/rule_set.h"

/// Selection, the first pass: conditions of rules are evaluated.
namespace opledger {

/// Returns the rules whose conditions hold, numbered; their references are added to `annotations.rules`.
RuleSet select(const RuleSet& rules, const Condition& holds, Annotations& annotations);

}  // namespace opledger
