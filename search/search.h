#pragma once
#include <optional>

#include "search/search_answer.h"
#include "search/search_request.h"

/// The entry point of searches: reads a space, evaluates all candidates, and describes the best ones.
namespace opledger {

/// Runs a search over the documents of `library`. Returns nothing, with errors, if the space can't be read or has no
/// candidates, a name is unknown, a declared symmetry is wrong, a domain or a described candidate can't be evaluated,
/// or results can't be written. Ranks other than 0 evaluate candidates for rank 0 and return nothing.
std::optional<SearchAnswer> search(const SearchRequest& request, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
