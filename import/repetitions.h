#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// Expands texts with abbreviated repetitions: `Et*3|(t*4|)*2` to a row of signs, `([0]*3+[1]*58)` to a list.
namespace opledger {

/// Limit of signs or items after the expansion.
inline constexpr std::size_t kMostUnrolled = 16'384;

/// Expands `x*3` to `xxx` and `(xy)*2` to `xyxy`. Commas and blanks are ignored; brackets do not nest. Returns
/// nothing if brackets or numbers are missing, or the result is too long.
std::optional<std::string> unroll_signs(const std::string& text);

/// Returns the items of `[a, b] * 2 + [c]` unchanged, with or without enclosing brackets. Returns nothing if the text
/// is no such list, or the result is too long.
std::optional<std::vector<std::string>> unroll_list(const std::string& text);

}  // namespace opledger
