#pragma once
#include <string>

#include "search/search_answer.h"
#include "search/search_request.h"

namespace opledger {

/// A value as documents write it, so that it reads back the same: `7168 byte`, `true`, `adamw`.
std::string as_written(const Value& value);

/// A candidate as a run of the space all of whose axes have values.
RunRequest candidate_run(const SearchRequest& request, const SearchAnswer& answer, const SearchAnswer::Candidate& candidate);

}  // namespace opledger
