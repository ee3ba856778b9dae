#pragma once
#include "rules/derivation.h"

/// Checks of names in rules that this run lacks. Most are no mistake, because one document serves many models and
/// meshes.
namespace opledger {

/// Warns of names that the run lacks and that resemble one of its dimensions or axes. Also warns of a missing axis
/// without which a rule for weights, `avoid`, a mark or a merge has no effect. An axis that some rule of `shard` names
/// is excused: it may exist on other meshes. Rules treat a missing axis as a single-rank axis. Reports a misspelled
/// `gathered` in `keep` as an error. `all` are the rules before selection. Must run before axes are cut, so that names
/// are those of the documents.
void check_missing_names(Derivation& d, const RuleSet& all);

}  // namespace opledger
