#pragma once
#include <cstddef>
#include <vector>

#include "search/search_answer.h"
#include "search/search_request.h"

/// Placements, recomputation and stages of the best candidates (`--found`). A space enumerates a few rule documents; what
/// is found for a candidate may change the order of the best.
namespace opledger {

/// Finds the parts `request.find` of the first `request.found` candidates of `answer.best`, and returns the answers in the
/// same order. A candidate for which nothing can be found has the reason. Ends early if the search is stopped.
std::vector<SearchAnswer::FoundCandidate> find_best(const SearchRequest& request, const SearchAnswer& answer, const Library& library);

/// Returns the positions of found candidates, the best first. A candidate for which nothing was found keeps its searched
/// objective.
std::vector<std::size_t> found_order(const SearchAnswer& answer);

}  // namespace opledger
