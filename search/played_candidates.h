#pragma once
#include <string>
#include <vector>

#include "search/search_answer.h"
#include "search/search_request.h"

/// Simulation of the steps of the best candidates (`--played`). A sweep evaluates schedules by closed formulas; a simulated
/// step shows the error of the formulas for the candidates that matter.
namespace opledger {

/// Returns the input of the accounting that turns on simulation (`play: switch`); empty if the accounting can't simulate a
/// step.
std::string play_switch(const LinkedRun& run);

/// Simulates the first `request.played` candidates of `answer.best` and returns their results in the same order. Empty, with
/// an error, if the accounting can't simulate a step.
std::vector<SearchAnswer::PlayedCandidate> play_best(const SearchRequest& request, const SearchAnswer& answer, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
