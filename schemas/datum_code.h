#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "schemas/datum.h"

/// A tree as bytes, for those who have its text too: a scalar that stands in the text as it is written is but a place there. What an alias stands for is
/// written again. The bytes are the same on every machine.
namespace opledger {

/// `root` is of one source.
std::string encode(const Datum& root);

/// The same tree again, place by place. Empty for bytes that nothing was encoded to: they may be anything.
std::optional<Datum> decode(std::string_view bytes, const std::shared_ptr<const SourceFile>& source);

}  // namespace opledger
