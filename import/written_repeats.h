#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// Texts that write repetitions short: `Et*3|(t*4|)*2` as a row of signs, `([0]*3+[1]*58)` as a list.
namespace opledger {

/// How long what they stand for may be.
inline constexpr std::size_t kMostUnrolled = 16'384;

/// `x*3` is `xxx`, `(xy)*2` is `xyxy`; commas and blanks are ornament. Brackets don't nest. Empty: brackets or numbers are missing, or it is too long.
std::optional<std::string> unroll_signs(const std::string& text);

/// Items of `[a, b] * 2 + [c]`, with or without brackets around it, as they are written. Empty: it is no such list, or too long.
std::optional<std::vector<std::string>> unroll_list(const std::string& text);

}  // namespace opledger
