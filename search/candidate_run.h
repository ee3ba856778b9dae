#pragma once
#include <string>

#include "search/search_answer.h"
#include "search/search_request.h"

/// Conversion of candidates back to runs.
namespace opledger {

/// Returns a value as text for a document: `7168 byte`, `true`, `adamw`. Reading the text gives the same value, bit for
/// bit.
std::string as_written(const Value& value);

/// Returns the request of one candidate as a run: the request of the search, with the candidate's value for every axis
/// that has one. The axis of systems becomes the system of the run. Overrides of axes are removed, because they would
/// replace the candidate's values. `candidate`: a candidate of `answer`, which has the names of the axes.
RunRequest candidate_run(const SearchRequest& request, const SearchAnswer& answer, const SearchAnswer::Candidate& candidate);

}  // namespace opledger
