#pragma once
#include <string>
#include <vector>

#include "search/search_answer.h"
#include "search/search_request.h"

/// The best candidates again, with their steps played: a search counts all by the formulas of schedules.
namespace opledger {

/// Whether the accounting can play a step, and which input says so; empty: it can't.
std::string play_switch(const Linked& run);

/// Of the first `request.played` of `answer.best`, in their order. Empty, with an error, if the accounting can't play a step.
std::vector<SearchAnswer::PlayedCandidate> play_best(const SearchRequest& request, const SearchAnswer& answer, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
