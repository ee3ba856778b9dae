#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "search/sweep/trace_cache.h"

/// Serialization of traces for other processes that search the same space. The bytes hold the tape with its guards, the
/// metrics, the checks, and the reasons of checks. They omit the messages of checks and the graph, because a sweep
/// doesn't report single candidates.
namespace opledger {

/// Returns a trace with the number of its tape as bytes.
std::string packed(const NumberedTrace& traced);
/// Returns the trace of `packed` bytes. Returns nothing if the bytes are no packed trace of this query; any bytes are
/// safe input.
std::optional<NumberedTrace> unpack_trace(std::string_view bytes, const Query& query);

}  // namespace opledger
