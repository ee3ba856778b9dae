#pragma once
#include <string>

#include "search/store/heatmap.h"

namespace opledger {

/// Returns an SVG picture of a heat map: each cell with its value, a color scale, infeasible cells hatched, the best
/// cells framed. Equal maps give equal texts.
std::string write_heatmap_svg(const Heatmap& map);

}  // namespace opledger
