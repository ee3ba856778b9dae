#pragma once
#include <string>

#include "play/timeline.h"

namespace opledger {

/// Returns JSON of Chrome's trace events, readable by Perfetto, speedscope and editors. Each process of the timeline, a
/// rank of a stage, is a process with tracks for its tasks and for its messages to each stage. Counters show memory and
/// microbatches in flight; arrows connect producers and consumers. `about`: a description of the run, stored as
/// metadata of the trace.
std::string write_chrome_trace(const Timeline& timeline, const std::string& about);

}  // namespace opledger
