#pragma once
#include <string>
#include <vector>

#include "find/recompute_costs.h"

/// The best compromises between saved bytes and seconds of recomputation.
namespace opledger {

/// A choice with its costs by the tables.
struct RecomputePoint {
  double bytes = 0, seconds = 0;
  LayerRecompute choice;
};

/// Returns the front of all segments together, in ascending order of bytes; the last point recomputes nothing. Long
/// fronts are thinned out by rounding bytes. Empty, with an error, if the tables of a segment are too wide.
std::vector<RecomputePoint> recompute_front(const std::vector<SegmentCosts>& costs, std::string& error);

/// Returns the indices of the points on the lower convex hull of a front. A mix of two points over the layers lies on the
/// line between them, so that it is better than any point above the hull.
std::vector<std::size_t> lower_hull(const std::vector<RecomputePoint>& front);

}  // namespace opledger
