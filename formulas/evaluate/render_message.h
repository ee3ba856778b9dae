#pragma once
#include <optional>
#include <string>
#include <vector>

#include "formulas/evaluate/evaluator.h"

namespace opledger {

/// Returns the text of a message: its parts joined, with each formula evaluated at the point and written for readers.
/// Returns nothing if a value is unknown; its error is added to `diagnostics` unless the run only lacks the required
/// document.
std::optional<std::string> render_message(Evaluator& evaluator, const std::vector<MessagePart>& message, const Point& point, Diagnostics& diagnostics);

}  // namespace opledger
