#pragma once
#include <string>
#include <string_view>
#include <vector>

/// Small text helpers: suggestions, name patterns, joining, what may be shown.
namespace opledger {

/// The candidate nearest to `word` by edit distance (transpositions count once), or empty if none is near enough to be meant.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// ` (did you mean `x`?)`, or empty.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

/// Returns the end of a message about an unknown name: the suggestion, then up to kMostKnownNames of the names that exist, the most similar first. `what` is
/// the plural noun for the names, such as `inputs` in `; known inputs: `. Empty if no name exists.
std::string known_names(std::string_view word, std::string_view what, std::vector<std::string> names);
inline constexpr std::size_t kMostKnownNames = 6;

/// Whether `word` is `meant` with a letter too many or two neighbours swapped. A replaced letter is no slip: `dp` and `tp` are alike on purpose.
bool slipped(std::string_view word, std::string_view meant);

/// Shell-style pattern over a dotted name: `*` any run of characters, `?` one. Case matters.
bool glob_match(std::string_view pattern, std::string_view text);

/// One line for people: control characters, which could write to their terminal, and bytes that are no UTF-8 as `\x1b`, marks that turn the order of text as `\u202e`.
std::string visible(std::string_view text);
std::string visible_lines(std::string_view text);  ///< The same line by line.

/// A word of a command line for a shell: in quotes if it needs them.
std::string shell_word(const std::string& text);

std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::vector<std::string> split(std::string_view text, char separator);  ///< Parts are trimmed of blanks.
std::string_view trim(std::string_view text);

}  // namespace opledger
