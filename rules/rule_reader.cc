#include "rules/rule_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "ops/definition.h"

namespace opledger {

std::vector<std::string> read_words(const Datum& value, Diagnostics& diagnostics) {
  if (value.is_scalar()) return {value.text()};
  std::vector<std::string> words;
  for (const Datum& item : value.items()) {
    if (item.is_scalar()) {
      words.push_back(item.text());
    } else {
      diagnostics.error(item.span(), fmt::format("expected a name, found {}", item.describe()));
    }
  }
  if (!value.is_list()) diagnostics.error(value.span(), fmt::format("expected a name or a list of names, found {}", value.describe()));
  return words;
}

/// Reads the condition of a rule, a mapping from keys to a word or a list of words; absent keys stay empty and match
/// everything. `attribute` maps names of attributes to words.
Match read_match(const Datum& rule, Diagnostics& diagnostics) {
  Match match;
  const Datum* datum = rule.find("match");
  match.span = datum ? datum->span() : rule.span();
  if (!datum) return match;
  const std::pair<const char*, std::vector<std::string>*> keys[] = {
      {"name", &match.name},           {"op", &match.op},   {"with", &match.with},       {"without", &match.without},
      {"component", &match.component}, {"tag", &match.tag}, {"segment", &match.segment}, {"block", &match.block}};
  for (const auto& [key, words] : keys) {
    if (const Datum* value = datum->find(key)) *words = read_words(*value, diagnostics);
  }
  if (const Datum* attributes = datum->find("attribute")) {
    for (const auto& [name, value] : attributes->entries()) match.attribute.emplace_back(name.text(), read_words(value, diagnostics));
  }
  return match;
}

ExprPtr read_when(const Datum& rule, Diagnostics& diagnostics) {
  const Datum* when = rule.find("when");
  return when ? parse_formula(*when, "`when`", diagnostics) : nullptr;
}

std::optional<bool> read_boolean(const Datum& value, const char* key, Diagnostics& diagnostics) {
  const std::optional<bool> truth = value.boolean();
  if (!truth) diagnostics.error(value.span(), fmt::format("`{}` is true or false, found {}", key, value.describe()));
  return truth;
}

std::size_t read_choice(const Datum& rule, const char* key, const std::vector<std::string>& words, Diagnostics& diagnostics) {
  const Datum* value = rule.find(key);
  if (!value) return 0;
  auto found = std::find(words.begin(), words.end(), value->text());
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  diagnostics.error(value->span(), fmt::format("`{}` is {}, found `{}`{}", key, join(words, ", "), value->text(), suggestion(value->text(), words)));
  return 0;
}

const std::vector<std::string>& uneven_words() {
  static const std::vector<std::string> words = {"error", "pad", "skip", "replicate", "part"};
  return words;
}

std::vector<UnevenRule> read_uneven(const Datum& item, const RuleRef& ref, Diagnostics& diagnostics) {
  std::vector<UnevenRule> rules;
  if (!item.is_map()) diagnostics.error(item.span(), fmt::format("expected `dimension: pad`, found {}", item.describe()));
  for (const auto& [names, _] : item.entries()) {
    const std::string key = names.text();
    rules.push_back({split(key, ','), static_cast<Uneven>(read_choice(item, key.c_str(), uneven_words(), diagnostics)), nullptr, ref, {}});
  }
  return rules;
}

/// Reads one item of a list: a mapping from dimensions, separated by commas, to axes, or to a mapping with `axis`,
/// `uneven` and `when`. All rules of an item have its reference, and so later its number. An entry without axes is an
/// error and left out.
std::vector<ShardRule> read_shard(const Datum& item, const RuleRef& ref, Diagnostics& diagnostics) {
  std::vector<ShardRule> rules;
  if (!item.is_map()) diagnostics.error(item.span(), fmt::format("expected `dimension: axis`, found {}", item.describe()));
  for (const auto& [names, value] : item.entries()) {
    ShardRule rule;
    rule.dimensions = split(names.text(), ',');
    rule.ref = ref;
    const Datum* axes = value.is_map() ? value.find("axis") : &value;
    if (!axes) {
      diagnostics.error(value.span(), fmt::format("`{}` names no `axis`", names.text()));
      continue;
    }
    rule.axes = read_words(*axes, diagnostics);
    if (value.is_map()) {
      rule.uneven = static_cast<Uneven>(read_choice(value, "uneven", uneven_words(), diagnostics));
      rule.when = read_when(value, diagnostics);
    }
    rules.push_back(std::move(rule));
  }
  return rules;
}

}  // namespace opledger
