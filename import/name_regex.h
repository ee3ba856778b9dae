#pragma once
#include <bitset>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"

/// Regular expressions over names of modules, as configs write them: a subset of Python's `re`. All ways to match are followed at once, so a pattern that a
/// stranger wrote takes no longer than its length and the name's allow.
namespace opledger {

class NameRegex {
 public:
  /// Empty, with an error, if it is wrong, too long or has something that is not known here: groups that are recalled, words' ends and classes other than `\d`, `\w`, `\s`.
  static std::optional<NameRegex> parse(std::string_view pattern, const Span& span, Diagnostics& diagnostics);

  /// Whether a name begins with what it describes: `re.match`.
  bool begins(std::string_view name) const;

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
  using Places = std::vector<bool>;  ///< Where in the name a match may have come to.

  static Places ends(const Node& node, std::string_view name, const Places& from);
  static Places repeated(const Node& node, std::string_view name, const Places& from);

  Node root_;
};

}  // namespace opledger
