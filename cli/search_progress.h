#pragma once
#include <string>

#include "search/search_request.h"

namespace opledger {

/// Returns the progress of a search after a number of seconds: `1,489,728 of 9,670,848, 2,979,262/s, 3 s left, best
/// sample_rate 433.16 1/s`. If the text is wider than `columns`, the rate is omitted first, then the best value, then
/// the remaining time.
std::string progress_text(const SearchStatus& status, double seconds, std::size_t columns);

}  // namespace opledger
