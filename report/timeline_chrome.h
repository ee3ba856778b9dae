#pragma once
#include <string>

#include "play/timeline.h"

namespace opledger {

/// As JSON of Chrome's trace events, which Perfetto, speedscope and editors open: a process for each stage, tracks for its work and for what it sends to each other stage,
/// counters of memory and of what is in flight, arrows from what was made to what needed it.
std::string write_chrome_trace(const Timeline& timeline, const std::string& about);

}  // namespace opledger
