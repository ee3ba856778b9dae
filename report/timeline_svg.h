#pragma once
#include <string>

#include "play/timeline.h"

namespace opledger {

/// A picture for a paper or a page: a row for each stage, a box for each work with its microbatch where there is room, an axis of seconds, a legend. The same bytes for the
/// same step.
std::string write_timeline_svg(const Timeline& timeline, const std::string& about);

}  // namespace opledger
