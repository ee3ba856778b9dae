#pragma once
#include <string>

#include "search/store/heatmap.h"

namespace opledger {

/// Returns an SVG picture: each cell with its value, a color scale, infeasible cells hatched, the best cell framed. The
/// output is deterministic.
std::string write_heatmap_svg(const Heatmap& map);

}  // namespace opledger
