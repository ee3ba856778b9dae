#pragma once
#include <string>
#include <string_view>
#include <vector>

/// Text utilities: suggestions, name patterns, joining, safe display.
namespace opledger {

/// Returns the candidate nearest to `word` by edit distance with transpositions; empty if none is close.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// Returns ` (did you mean `x`?)` for the nearest candidate, or an empty text.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

/// Returns the end of a message about an unknown name: the suggestion, then up to kMostKnownNames existing names by
/// similarity. `noun` is the plural noun for the names, such as `inputs` in `; known inputs: `. Empty without names.
std::string known_names(std::string_view word, std::string_view noun, std::vector<std::string> names);
inline constexpr std::size_t kMostKnownNames = 6;  ///< Limit of names in such a message.

/// Returns whether `word` is `meant`, of at least two letters, with one extra letter or two adjacent letters swapped. A
/// replaced letter does not count, since names such as `dp` and `tp` differ on purpose.
bool is_typo(std::string_view word, std::string_view meant);

/// Returns whether a text matches a shell-style pattern: `*` matches any text, including dots, and `?` one byte.
/// Case-sensitive.
bool glob_match(std::string_view pattern, std::string_view text);

/// Returns a text for safe display on one line: control characters and invalid UTF-8 become `\x1b`, direction marks
/// `\u202e`.
std::string visible(std::string_view text);
std::string visible_lines(std::string_view text);  ///< Escapes each line separately.

/// Returns a word for a shell command line, quoted if necessary.
std::string shell_word(const std::string& text);

/// Returns the parts with the separator between them.
std::string join(const std::vector<std::string>& parts, std::string_view separator);
/// Returns the parts between separators, trimmed of blanks; at least one.
std::vector<std::string> split(std::string_view text, char separator);
/// Returns the text without blanks, tabs and line ends around it.
std::string_view trim(std::string_view text);

}  // namespace opledger
