#pragma once
#include "rules/derivation.h"

/// Names in rules that this run lacks. Most are no mistake, since one rule document serves many models and meshes.
namespace opledger {

/// Warnings: a dimension or an axis that is near one of the run's; an axis without which a rule for weights, a mark or a merge means nothing, unless a rule
/// of `shard` splits over it on other meshes. Such an axis counts as one of one rank. Error: a misspelled `gathered` in `keep`.
/// `all` are the rules before any `when` is applied. Call it before axes are cut.
void check_words(Derivation& d, const RuleSet& all);

}  // namespace opledger
