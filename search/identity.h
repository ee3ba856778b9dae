#pragma once
#include <string>

#include "search/search_request.h"

namespace opledger {

/// A digest of all that decides what a search finds: the program's version, every document that takes part, what is set and what is asked for. 16 hexadecimal
/// digits; it tells mistakes apart, not forgeries.
std::string identity_of(const Space& space, const SearchRequest& request, Library& library);

}  // namespace opledger
