#pragma once
#include "graph/annotations.h"
#include "graph/condition.h"
#include "rules/rule_set.h"

/// The first pass: which rules apply in this run.
namespace opledger {

/// Rules whose conditions hold, numbered; their references are added to `annotations.rules`.
RuleSet select(const RuleSet& rules, const Condition& holds, Annotations& annotations);

}  // namespace opledger
