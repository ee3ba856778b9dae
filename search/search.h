#pragma once
#include <optional>

#include "search/search_answer.h"
#include "search/search_request.h"

/// A search from names of documents to what the best candidates are and cost.
namespace opledger {

/// Empty, with errors, if the space can't be read or a candidate not be evaluated; empty on all ranks but 0.
std::optional<SearchAnswer> search(const SearchRequest& request, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
