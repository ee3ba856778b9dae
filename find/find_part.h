#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"

/// Names of the parts of a run that `find` computes.
namespace opledger {

/// A part of a run that is found.
enum class FindPart : std::uint8_t { placements, stages, recompute };

inline constexpr std::string_view kFindParts[] = {"placements", "stages", "recompute"};  ///< Names of parts, in the order of FindPart.

/// Returns the parts of a list of names, separated by commas, in the order of FindPart. Empty, with an error, for unknown
/// or repeated names.
std::vector<FindPart> find_parts(const std::string& names, Diagnostics& diagnostics);

}  // namespace opledger
