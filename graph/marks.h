#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/source.h"

/// Rules by reference, and the names and values that they give to parts of an annotated graph.
namespace opledger {

/// `megatron.shard[2]`, and where it is written.
struct RuleRef {
  std::string text;
  Span span;
  bool quiet = false;  ///< Written for many runs: that it finds nothing in this one is no remark.
};
using RuleId = Id<RuleRef>;

/// What can carry marks.
enum class Marked : std::uint8_t { message, saved, weight, node, cached };
const char* to_string(Marked kind);

/// A name and a value that a rule gave to something. The accounting declares which there are and what they mean; the value is a word or a formula.
struct Mark {
  Marked of = Marked::message;
  std::string name, value;
  Span span, value_span;
  RuleId rule;
};
using MarkId = Id<Mark>;
using MarkList = std::vector<MarkId>;

}  // namespace opledger
