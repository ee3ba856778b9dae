#pragma once
#include <string>

#include "search/search_request.h"

namespace opledger {

/// Returns a digest that identifies a search in its store, as 16 hexadecimal digits. The digest covers the version of
/// the program, the texts of the documents, and the request: overrides, accounting, conditions, stopping axes, metrics,
/// front, sums, number of best candidates. A store keeps the digest and refuses to resume a different search. The hash
/// is not cryptographic.
std::string identity_of(const Space& space, const SearchRequest& request);

}  // namespace opledger
