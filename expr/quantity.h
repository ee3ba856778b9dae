#pragma once
#include <optional>
#include <string>

namespace opledger {

/// Returns a count with a suffix (`15T`, `300B`, `1.5M`, `64k`) as a plain number: `15e12`. A plain number is
/// returned as it is, without blanks at the ends. Returns nothing for any other text. Suffixes are k or K, M, B or G, T
/// and P, powers of 1000.
std::optional<std::string> plain_count(const std::string& text);

/// Returns a count with a suffix whose suffixes are powers of 1024: `4M` is 4,194,304. Nothing for any other text.
std::optional<double> binary_count(const std::string& text);

}  // namespace opledger
