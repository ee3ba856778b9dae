#pragma once
#include <string>

#include "play/timeline.h"

namespace opledger {

/// Returns the events of write_chrome_trace, without its description of the run, as a Perfetto protocol buffer. The
/// files are smaller than JSON.
std::string write_perfetto_trace(const Timeline& timeline);

}  // namespace opledger
