#pragma once
#include <string>

#include "report/writers.h"
#include "search/search_answer.h"
#include "search/search_request.h"

namespace opledger {

/// Returns the answer of a search in a format; `seconds` is the duration of the search. Text and Markdown have tables
/// for people, on a page of size `page`. CSV and JSON have numbers in base units. CSV has a line for each candidate of
/// the front, or else of the best.
/// JSON: {"format", "space", "model", "system", "accounting", "maximise" or "minimise": name of the objective,
/// "counts": {"candidates", "feasible", "infeasible": {reason: n}}, "sums": {metric: sum over feasible candidates},
/// "best": [{"execution": {axis: value}, "metrics": {metric: value}, "candidates": number of equal runs}],
/// "structures": number of traces, "parts": number of partition groups, "seconds", "candidates_per_second"}.
/// Optional keys: "counts.skipped" with stopping axes; "pareto": {metric: direction} and "front": [candidates like
/// "best"] in a Pareto search; "refused": [candidates with "reason" and "message"] if requested; "played": simulated
/// objectives of the best; "partial": true after an interruption.
std::string write_search(const SearchAnswer& answer, const SearchRequest& request, double seconds, Format format, const PageSize& page);

}  // namespace opledger
