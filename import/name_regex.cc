#include "import/name_regex.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace opledger {
namespace {

constexpr std::size_t kLongest = 2'000;  // Characters of a pattern.
constexpr int kMostDepth = 16;           // Depth of nested groups.
constexpr int kMostLoops = 3;            // Nested repeats and lookaheads; each may try every position of a name.
constexpr const char* kTooManyLoops = "too many repeats or lookaheads are nested";
constexpr std::size_t kMostTimes = 200;  // Limit of a repeat count; names of modules are shorter.

template <class Is>
std::bitset<256> letters_that(Is&& is) {
  std::bitset<256> out;
  for (std::size_t c = 0; c < out.size(); ++c) out[c] = is(static_cast<int>(c));
  return out;
}

/// Returns the characters of the class `\d`, `\w` or `\s`, in ASCII; an upper-case letter means the complement. A set
/// of characters is a bit set over all 256 bytes. Returns nothing for any other letter.
std::optional<std::bitset<256>> known_class(char c) {
  std::bitset<256> out;
  switch (std::tolower(static_cast<unsigned char>(c))) {
    case 'd':
      out = letters_that([](int l) { return l >= '0' && l <= '9'; });
      break;
    case 'w':
      out = letters_that([](int l) { return l < 128 && (std::isalnum(l) != 0 || l == '_'); });
      break;
    case 's':
      out = letters_that([](int l) { return l < 128 && std::isspace(l) != 0; });
      break;
    default:
      return std::nullopt;
  }
  return std::isupper(static_cast<unsigned char>(c)) != 0 ? ~out : out;
}

}  // namespace

/// A recursive-descent parser: choice, sequence, atom, repeat. Limits of depth and of nested repeats bound the time
/// of matching.
class NameRegex::Parser {
 public:
  explicit Parser(std::string_view pattern) : pattern_(pattern) {}

  std::optional<Node> parse() {
    if (pattern_.size() > kLongest) return fail("it is too long");
    std::optional<Node> all = choice(0);
    if (all && at_ < pattern_.size()) return fail("a `)` closes nothing");
    return all;
  }

  const std::string& problem() const { return problem_; }

 private:
  std::nullopt_t fail(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
    return std::nullopt;
  }

  bool take(std::string_view text) {
    if (pattern_.substr(at_, text.size()) != text) return false;
    at_ += text.size();
    return true;
  }

  bool at_end() const { return at_ >= pattern_.size(); }

  std::optional<Node> choice(int depth) {
    if (depth > kMostDepth) return fail("its groups are too deep");
    Node out{Node::Kind::choice, {}, 0, 0, false, {}};
    do {
      std::optional<Node> next = sequence(depth);
      if (!next) return std::nullopt;
      out.parts.push_back(std::move(*next));
    } while (take("|"));
    return out;
  }

  std::optional<Node> sequence(int depth) {
    Node out;
    while (!at_end() && pattern_[at_] != '|' && pattern_[at_] != ')') {
      std::optional<Node> next = atom(depth);
      if (next) next = times(std::move(*next));
      if (!next) return std::nullopt;
      out.parts.push_back(std::move(*next));
    }
    return out;
  }

  /// Parses one atom: a group, an anchor, a class, an escaped or a plain character. Reports a repeat without an atom.
  std::optional<Node> atom(int depth) {
    if (take("(")) return group(depth);
    if (take("^")) return Node{Node::Kind::start, {}, 0, 0, false, {}};
    if (take("$")) return Node{Node::Kind::end, {}, 0, 0, false, {}};
    if (take("[")) return character_class();
    if (take(".")) return letter(~std::bitset<256>().set('\n'));
    if (take("\\")) return escaped();
    if (std::string_view("*+?{").find(pattern_[at_]) != std::string_view::npos) return fail(fmt::format("nothing to repeat before `{}`", pattern_[at_]));
    return letter(one(pattern_[at_++]));
  }

  static std::bitset<256> one(char c) { return std::bitset<256>().set(static_cast<unsigned char>(c)); }
  static Node letter(const std::bitset<256>& letters) { return {Node::Kind::letter, letters, 0, 0, false, {}}; }

  std::optional<Node> escaped() {
    if (at_end()) return fail("nothing follows the last `\\`");
    const char c = pattern_[at_++];
    if (const auto known = known_class(c)) return letter(*known);
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) return fail(fmt::format("`\\{}` is not known here", c));
    return letter(one(c));
  }

  /// Parses a group after its `(`: `(…)` and `(?:…)` group, `(?=…)` and `(?!…)` are lookaheads. Depth is limited
  /// because the parser recurses. Loops inside a lookahead are limited because a lookahead is matched again at each
  /// position.
  std::optional<Node> group(int depth) {
    Node out;
    out.negative = take("?!");
    if (out.negative || take("?=")) {
      out.kind = Node::Kind::ahead;
    } else if (!take("?:") && !at_end() && pattern_[at_] == '?') {
      return fail("a group that begins with `(?` is not known here, but for `(?:`, `(?=` and `(?!`");
    }
    std::optional<Node> inner = choice(depth + 1);
    if (!inner) return std::nullopt;
    if (!take(")")) return fail("a `)` is missing");
    if (out.kind == Node::Kind::ahead && loops_in(*inner) >= kMostLoops) return fail(kTooManyLoops);
    out.parts.push_back(std::move(*inner));
    return out;
  }

  /// Parses a character class such as `[a-z_\d]` after its `[`, up to its `]`. `[^…]` means the complement. A `]` in
  /// first position is an ordinary character, and a `-` in front of the closing `]` is, too. Escapes mean the same as
  /// outside. As in Python, a range must ascend, and no class such as `\d` may bound it.
  std::optional<Node> character_class() {
    const bool is_negated = take("^");
    std::bitset<256> letters;
    for (bool first = true; first || !take("]"); first = false) {
      const std::optional<Node> from = member();
      if (!from) return std::nullopt;
      letters |= from->letters;
      if (at_ + 1 >= pattern_.size() || pattern_[at_] != '-' || pattern_[at_ + 1] == ']') continue;
      ++at_;
      const std::optional<Node> to = member();
      if (!to) return std::nullopt;
      const std::size_t least = lowest(from->letters), most = lowest(to->letters);
      if (from->letters.count() != 1 || to->letters.count() != 1 || most < least)
        return fail("a range such as `a-z` must lead from one character to a later one");
      for (std::size_t c = least; c <= most; ++c) letters.set(c);
    }
    return letter(is_negated ? ~letters : letters);
  }

  /// Parses one character or escape inside a character class.
  std::optional<Node> member() {
    if (at_end()) return fail("a `]` is missing");
    if (take("\\")) return escaped();
    return letter(one(pattern_[at_++]));
  }

  /// Returns the lowest character of a set, which must not be empty.
  static std::size_t lowest(const std::bitset<256>& letters) {
    std::size_t c = 0;
    while (!letters[c]) ++c;
    return c;
  }

  /// Parses an optional repeat after an atom: `*`, `+`, `?`, `{n}`, `{n,}` or `{n,m}`. Without one, the atom is
  /// returned unchanged. The upper bound `kMostTimes` stands for no bound, because names are shorter. Nested repeats
  /// are limited: each level may try every position of a name again.
  std::optional<Node> times(Node repeated_node) {
    Node out{Node::Kind::repeat, {}, 0, kMostTimes, false, {}};
    if (take("+")) {
      out.least = 1;
    } else if (take("?")) {
      out.most = 1;
    } else if (take("{")) {
      const std::optional<std::size_t> least = number();
      const std::optional<std::size_t> most = take(",") ? (pattern_.substr(at_, 1) == "}" ? kMostTimes : number()) : least;
      if (!least || !most || *most < *least || !take("}")) return fail("`{` begins no count, such as `{2}` or `{1,3}`");
      out.least = *least;
      out.most = *most;
    } else if (!take("*")) {
      return repeated_node;
    }
    take("?");  // A lazy repeat such as `*?` has the same set of possible ends.
    if (loops_in(repeated_node) >= kMostLoops) return fail(kTooManyLoops);
    out.parts.push_back(std::move(repeated_node));
    return out;
  }

  std::optional<std::size_t> number() {
    std::size_t out = 0;
    const std::size_t begin = at_;
    for (; !at_end() && std::isdigit(static_cast<unsigned char>(pattern_[at_])) != 0 && out <= kMostTimes; ++at_)
      out = out * 10 + static_cast<std::size_t>(pattern_[at_] - '0');
    if (at_ == begin || out > kMostTimes) return std::nullopt;
    return out;
  }

  static int loops_in(const Node& node) {
    int most = 0;
    for (const Node& part : node.parts) most = std::max(most, loops_in(part));
    return most + (node.kind == Node::Kind::repeat || node.kind == Node::Kind::ahead ? 1 : 0);
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  std::string problem_;
};

std::optional<NameRegex> NameRegex::parse(std::string_view pattern, const Span& span, Diagnostics& diagnostics) {
  Parser parser(pattern);
  std::optional<Node> root = parser.parse();
  if (!root) {
    diagnostics.error(span, fmt::format("this regular expression can't be read: {}", parser.problem()));
    return std::nullopt;
  }
  NameRegex out;
  out.root_ = std::move(*root);
  return out;
}

/// Simulates the expression as a nondeterministic automaton on sets of positions (Thompson 1968). A node maps the set
/// of positions where it may begin to the set where it may end, so no backtracking occurs. A repeat iterates until
/// the set stops growing. The cost is nodes times positions for each level of repeats; a lookahead tests each
/// position separately.
class NameRegex::Matcher {
 public:
  using Places = std::vector<bool>;  ///< A set of positions in a name; bit i is the position before character i, the last bit the end.

  Matcher(std::string_view name, std::size_t& steps) : name_(name), steps_(steps) {}

  /// Returns the positions at which a match of the node can end, if the match begins at any position in `from`. All
  /// positions are followed at once, as by a nondeterministic automaton (Thompson 1968), so no backtracking occurs. A
  /// position is the number of characters before it; `Places` has one bit for each. A lookahead keeps the positions
  /// at which its part matches, or does not match if negative; it tests each position separately. Each call takes one
  /// step; without steps left, the result is empty.
  Places ends(const Node& node, const Places& from) {
    Places out(from.size(), false);
    if (steps_ == 0) return out;
    --steps_;
    switch (node.kind) {
      case Node::Kind::letter:
        for (std::size_t i = 0; i < name_.size(); ++i) out[i + 1] = from[i] && node.letters[static_cast<unsigned char>(name_[i])];
        return out;
      case Node::Kind::start:
        out.front() = from.front();
        return out;
      case Node::Kind::end:
        out.back() = from.back();
        return out;
      case Node::Kind::sequence:
        out = from;
        for (const Node& part : node.parts) out = ends(part, out);
        return out;
      case Node::Kind::choice:
        for (const Node& part : node.parts) merge(out, ends(part, from));
        return out;
      case Node::Kind::ahead:
        for (std::size_t i = 0; i < from.size(); ++i) {
          if (!from[i]) continue;
          Places here(from.size(), false);
          here[i] = true;
          out[i] = any(ends(node.parts[0], here)) != node.negative;
        }
        return out;
      case Node::Kind::repeat:
        break;
    }
    return repeated(node, from);
  }

  static bool any(const Places& places) { return std::find(places.begin(), places.end(), true) != places.end(); }

 private:
  /// Adds positions. Returns whether any position is new.
  static bool merge(Places& out, const Places& added) {
    bool grown = false;
    for (std::size_t i = 0; i < out.size(); ++i) {
      grown = grown || (added[i] && !out[i]);
      out[i] = out[i] || added[i];
    }
    return grown;
  }

  /// Returns the union of the ends after `least` to `most` repetitions. A repetition without a new end is the last:
  /// further repetitions would begin at known positions.
  Places repeated(const Node& node, const Places& from) {
    Places now = from;
    for (std::size_t n = 0; n < node.least && steps_ > 0; ++n) now = ends(node.parts[0], now);
    Places out = now;
    for (std::size_t n = node.least; n < node.most; ++n) {
      now = ends(node.parts[0], now);
      if (!merge(out, now)) break;
    }
    return out;
  }

  std::string_view name_;
  std::size_t& steps_;
};

bool NameRegex::begins(std::string_view name, std::size_t& steps) const {
  Matcher::Places from(name.size() + 1, false);
  from[0] = true;
  return Matcher::any(Matcher(name, steps).ends(root_, from));
}

}  // namespace opledger
