#pragma once
#include <string>

#include "report/writers.h"
#include "search/search_answer.h"
#include "search/search_request.h"

namespace opledger {

/// Returns the answer of a search in a format. Numbers are in base units. CSV has a line for each candidate of the
/// front, or else of the best.
/// JSON: {"space", "model", "system", "accounting", "objective", "counts": {"candidates", "feasible", "infeasible":
/// {reason: n}}, "sums": {metric: sum over feasible candidates}, "best": [{"execution": {axis: value}, "metrics":
/// {metric: value}, "candidates": number of equal runs}], "structures", "parts", "seconds", "candidates_per_second"}.
/// A Pareto search adds {"pareto": {metric: direction}, "front": [candidates like "best"]}; a request for rejected
/// candidates adds "refused" with "reason" and "message"; interruption adds "partial": true.
std::string write_search(const SearchAnswer& answer, const SearchRequest& request, double seconds, Format format, const PageSize& page);

}  // namespace opledger
