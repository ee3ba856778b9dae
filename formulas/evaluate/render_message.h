#pragma once
#include <optional>
#include <string>
#include <vector>

#include "formulas/evaluate/evaluator.h"

namespace opledger {

/// Returns a message with its values filled in. Returns nothing if a value is unknown; its error is reported unless the
/// run lacks the required document.
std::optional<std::string> render_message(Evaluator& evaluator, const std::vector<MessagePart>& message, const Point& point, Diagnostics& diagnostics);

}  // namespace opledger
