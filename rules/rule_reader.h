#pragma once
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "rules/rule_set.h"
#include "schemas/datum.h"

/// The parts that rules of every section are made of, read from a document. Schemas have seen it before, so what is still wrong here is rare; it is an error all the same.
namespace opledger {

/// One word or a list of words.
std::vector<std::string> read_words(const Datum& value, Diagnostics& diagnostics);

Match read_match(const Datum& rule, Diagnostics& diagnostics);

/// `when:` of a rule; null if there is none.
ExprPtr read_when(const Datum& rule, Diagnostics& diagnostics);

/// One item of `shard`: `heads: tp`, `seq, slot: {axis: tp, uneven: pad, when: …}`; several entries make several rules.
std::vector<ShardRule> read_shard(const Datum& item, const RuleRef& ref, Diagnostics& diagnostics);

/// Reads one item of `uneven`: `heads, ffn: pad`. Each entry makes one rule.
std::vector<UnevenRule> read_uneven(const Datum& item, const RuleRef& ref, Diagnostics& diagnostics);

/// `true` or `false`; else an error, and nothing.
std::optional<bool> read_truth(const Datum& value, const char* key, Diagnostics& diagnostics);

/// The position of the word of `key` in `words`, or the first if the key is absent. An unknown word is an error.
std::size_t read_choice(const Datum& rule, const char* key, const std::vector<std::string>& words, Diagnostics& diagnostics);

}  // namespace opledger
