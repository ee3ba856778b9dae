#pragma once
#include <bitset>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"

/// Regular expressions over names of modules, as configs write them: a subset of Python's `re`. All ways to match are followed at once, and only so far: a
/// pattern that a stranger wrote must end.
namespace opledger {

class NameRegex {
 public:
  /// Empty, with an error, if it is wrong, too long or has something that is not known here: groups that are recalled, words' ends and classes other than
  /// `\d`, `\w`, `\s`.
  static std::optional<NameRegex> parse(std::string_view pattern, const Span& span, Diagnostics& diagnostics);

  /// Whether a name begins with what it describes: `re.match`. Each look at a part of the pattern takes one of `steps`; when none is left it ends, and what it
  /// says means nothing.
  bool begins(std::string_view name, std::size_t& steps) const;

 private:
  struct Node {
    enum class Kind { letter, sequence, choice, repeat, start, end, ahead };
    Kind kind = Kind::sequence;
    std::bitset<256> letters;         ///< Of `letter`.
    std::size_t least = 0, most = 0;  ///< Of `repeat`.
    bool negative = false;            ///< Of `ahead`.
    std::vector<Node> parts;
  };
  class Parser;
  class Matcher;

  Node root_;
};

}  // namespace opledger
