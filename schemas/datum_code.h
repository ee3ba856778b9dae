#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "schemas/datum.h"

/// Serialization of a `Datum` for readers that also have its text: a scalar that occurs verbatim in the text is stored
/// as an offset. Aliases are stored expanded. The bytes are independent of the machine.
namespace opledger {

/// Returns the bytes of a tree whose values all come from one source, the text of `root`.
std::string encode(const Datum& root);

/// Restores the tree with its positions in `source`. Empty for malformed bytes; any input is safe.
std::optional<Datum> decode(std::string_view bytes, const std::shared_ptr<const SourceFile>& source);

}  // namespace opledger
