#pragma once
#include <string>

#include "report/writers.h"
#include "search/search_answer.h"
#include "search/search_request.h"

namespace opledger {

/// What a search found. JSON: {"space", "model", "system", "accounting", "objective", "counts": {"candidates", "feasible", "infeasible": {reason: n}},
/// "sums": {metric: sum over the feasible}, "best": [{"execution": {axis: value}, "metrics": {metric: value}, "candidates": those that are this run}], with a front {"pareto": {metric: direction},
/// "front": [the same, "candidates": those alike]}, if asked for "refused": [the same with "reason", "message"], "partial": true if it was interrupted, "structures", "parts", "seconds", "candidates_per_second"}.
/// CSV: one line for each of the front, or of the best. Numbers are in base units.
std::string write_search(const SearchAnswer& answer, const SearchRequest& request, double seconds, Format format, const PageSize& page);

}  // namespace opledger
