#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/source.h"

/// References to rules, and the marks that rules attach to parts of an annotated graph.
namespace opledger {

/// A rule by name, `megatron.shard[2]`, and its position.
struct RuleRef {
  std::string text;
  Span span;
  bool quiet = false;  ///< The rule serves many runs, so a run in which it matches nothing causes no warning.
};
using RuleId = Id<RuleRef>;

/// Parts of the graph that can carry marks: a transfer, a saved tensor, a weight, a node, or a cached tensor.
enum class Marked : std::uint8_t { message, saved, weight, node, cached };
const char* to_string(Marked kind);  ///< Returns the key of the part in rules.

/// A name and a value that a rule attaches to a part. The accounting declares names and meanings; the value is a word
/// or a formula.
struct Mark {
  Marked of = Marked::message;  ///< The kind of part that carries the mark.
  std::string name, value;
  Span span, value_span;  ///< Positions of name and value in the rule.
  RuleId rule;
};
using MarkId = Id<Mark>;
using MarkList = std::vector<MarkId>;

}  // namespace opledger
