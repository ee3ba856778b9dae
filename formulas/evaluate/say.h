#pragma once
#include <optional>
#include <string>
#include <vector>

#include "formulas/evaluate/evaluator.h"

namespace opledger {

/// A message with its values put in. Empty where one of them is not known: its error is told, unless the run does without what it takes.
std::optional<std::string> say(Evaluator& evaluator, const std::vector<MessagePart>& message, const Point& point, Diagnostics& diagnostics);

}  // namespace opledger
