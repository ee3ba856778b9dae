#pragma once
#include <string>

#include "search/search_request.h"

namespace opledger {

/// `1,489,728 of 9,670,848, 2,979,262/s, 3 s left, best sample_rate 433.16 1/s`: how far a search is after so many seconds. What is too long for the columns goes
/// without the rate, then without the best, then without the time that is left.
std::string progress_text(const SearchStatus& status, double seconds, std::size_t columns);

}  // namespace opledger
