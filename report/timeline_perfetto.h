#pragma once
#include <string>

#include "play/timeline.h"

namespace opledger {

/// Returns the trace of write_chrome_trace as a Perfetto protocol buffer. Files have a tenth of the size of JSON and
/// open faster.
std::string write_perfetto_trace(const Timeline& timeline);

}  // namespace opledger
