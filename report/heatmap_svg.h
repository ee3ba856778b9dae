#pragma once
#include <string>

#include "search/store/heatmap.h"

namespace opledger {

/// A picture: every cell with its value, a colour scale, what is infeasible hatched, the best cell framed. The same bytes for the same map.
std::string write_heatmap_svg(const Heatmap& map);

}  // namespace opledger
