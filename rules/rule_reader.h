#pragma once
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "rules/rule_set.h"
#include "schemas/datum.h"

/// Readers for the parts of rules of every section. Schemas have validated the document, so errors here are rare.
namespace opledger {

/// Reads one word or a list of words.
std::vector<std::string> read_words(const Datum& value, Diagnostics& diagnostics);

/// Reads the key `match` of a rule; every key is optional.
Match read_match(const Datum& rule, Diagnostics& diagnostics);

/// Reads the key `when` of a rule; null without the key.
ExprPtr read_when(const Datum& rule, Diagnostics& diagnostics);

/// Reads one item of `shard`: `heads: tp`, or `seq, slot: {axis: tp, uneven: pad, when: …}`. Each entry makes one rule.
std::vector<ShardRule> read_shard(const Datum& item, const RuleRef& ref, Diagnostics& diagnostics);

/// Reads one item of `uneven`: `heads, ffn: pad`. Each entry makes one rule.
std::vector<UnevenRule> read_uneven(const Datum& item, const RuleRef& ref, Diagnostics& diagnostics);

/// Reads `true` or `false`; returns nothing, with an error, for other values.
std::optional<bool> read_boolean(const Datum& value, const char* key, Diagnostics& diagnostics);

/// Returns the position in `words` of the value of `key`, or 0 if the key is absent. Reports an unknown word.
std::size_t read_choice(const Datum& rule, const char* key, const std::vector<std::string>& words, Diagnostics& diagnostics);

}  // namespace opledger
