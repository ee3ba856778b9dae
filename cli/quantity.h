#pragma once
#include <optional>
#include <string>

namespace opledger {

/// A count with a suffix of thousands as people write it, `15T`, `300B`, `1.5M`, `64k`, as a plain number: `15e12`. What has none stays as it is. Empty: neither.
std::optional<std::string> plain_count(const std::string& text);

}  // namespace opledger
