#pragma once
#include <string>

#include "search/search_request.h"

namespace opledger {

/// Returns a digest of everything that decides the result of a search, as 16 hexadecimal digits. Inputs are the version of
/// the program, the texts of all documents, overrides, conditions, and the requested outputs. A store uses it to refuse a
/// resumed search that differs; the hash is not cryptographic.
std::string identity_of(const Space& space, const SearchRequest& request, Library& library);

}  // namespace opledger
