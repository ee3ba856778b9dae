#pragma once
#include <vector>

#include "search/sweep/sweep_request.h"

/// Feasible candidates of a sweep as rows, for tests: axis values, then metrics.
namespace opledger {

using Rows = std::vector<std::vector<double>>;

/// Makes a sweep append its rows to `rows`, which must outlive the request.
inline void list_into(SweepRequest& request, Rows& rows) {
  request.list = true;
  request.rows = [&rows](const RangeResult& stretch, Diagnostics&) {
    const CandidateRows& found = stretch.rows;
    for (std::size_t row = 0; row < found.count; ++row) {
      rows.emplace_back(found.values_of(row), found.values_of(row) + found.axes);
      rows.back().insert(rows.back().end(), found.costs_of(row), found.costs_of(row) + found.metrics);
    }
    return true;
  };
}

}  // namespace opledger
