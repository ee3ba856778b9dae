#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "search/sweep/known_structures.h"

/// Structures as bytes and back, for other processes that search the same space: what candidates are worth and what refuses them, without what is told of single ones.
namespace opledger {

std::string packed(const Traced& traced);
/// Empty for bytes that no structure of this question was packed to: they may be anything.
std::optional<Traced> unpack_structure(std::string_view bytes, const Question& question);

}  // namespace opledger
