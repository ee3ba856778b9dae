#pragma once
#include <vector>

#include "search/sweep/sweep_request.h"

/// All feasible candidates of a sweep, for tests: values of axes, then metrics.
namespace opledger {

using Rows = std::vector<std::vector<double>>;

/// Has a sweep list them; `rows` must live as long as it.
inline void list_into(SweepRequest& request, Rows& rows) {
  request.list = true;
  request.rows = [&rows](const StretchFound& stretch, Diagnostics&) {
    const FoundRows& found = stretch.rows;
    for (std::size_t row = 0; row < found.count; ++row) {
      rows.emplace_back(found.values_of(row), found.values_of(row) + found.axes);
      rows.back().insert(rows.back().end(), found.costs_of(row), found.costs_of(row) + found.metrics);
    }
    return true;
  };
}

}  // namespace opledger
