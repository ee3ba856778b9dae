#pragma once
#include <string>

#include "play/timeline.h"

namespace opledger {

/// Returns an SVG picture of a step: a row for each process, a box for each task, labeled with its microbatch if wide
/// enough, a time axis in seconds, and a legend. With operators, rows for kernels and messages follow each process.
/// `about` describes the run below the title. Equal timelines give equal texts.
std::string write_timeline_svg(const Timeline& timeline, const std::string& about);

}  // namespace opledger
