#pragma once
#include <bitset>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"

/// Regular expressions over module names: a subset of Python's `re`. Matching follows all alternatives at once and
/// has a bounded number of steps, because patterns come from unknown files.
namespace opledger {

/// A parsed regular expression.
class NameRegex {
 public:
  /// Parses a pattern. Returns nothing and reports an error if the pattern is invalid, too long or too deeply nested.
  /// Back-references, word boundaries and classes other than `\d`, `\w`, `\s` are not supported.
  static std::optional<NameRegex> parse(std::string_view pattern, const Span& span, Diagnostics& diagnostics);

  /// Returns whether a beginning of the name matches, as `re.match` does. Each visit of a node takes one of `steps`;
  /// the result is meaningless once none is left.
  bool begins(std::string_view name, std::size_t& steps) const;

 private:
  /// A node of the syntax tree.
  struct Node {
    /// A `letter` accepts one character. A `sequence` has its parts in order, a `choice` any one of its parts. A
    /// `repeat` repeats its part. `start` and `end` are `^` and `$`. An `ahead` is a lookahead: its part must match
    /// here, and takes no character.
    enum class Kind { letter, sequence, choice, repeat, start, end, ahead };
    Kind kind = Kind::sequence;
    std::bitset<256> letters;         ///< Accepted characters of a `letter`.
    std::size_t least = 0, most = 0;  ///< Bounds of a `repeat`.
    bool negative = false;            ///< The part of an `ahead` must not match.
    std::vector<Node> parts;
  };
  class Parser;
  class Matcher;

  Node root_;
};

}  // namespace opledger
