#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "search/sweep/known_structures.h"

/// Serialization of traces for other processes that search the same space. The bytes hold the tape, the metrics, and the
/// reasons of checks. They omit the messages of checks and the graph, because a sweep doesn't report single candidates.
namespace opledger {

std::string packed(const Traced& traced);
/// Returns the trace of `packed` bytes. Returns nothing if the bytes are no packed trace of this query; any bytes are
/// safe input.
std::optional<Traced> unpack_structure(std::string_view bytes, const Question& query);

}  // namespace opledger
