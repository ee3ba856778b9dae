#pragma once
#include <string>

#include "play/timeline.h"

namespace opledger {

/// Returns an SVG picture: a row for each stage, a box for each task, labeled with its microbatch if wide enough, a
/// time axis in seconds, and a legend. The output is deterministic.
std::string write_timeline_svg(const Timeline& timeline, const std::string& about);

}  // namespace opledger
