#pragma once
#include <functional>
#include <optional>

#include "expr/ast.h"

namespace opledger {

/// Evaluates a `when` of a model or a rule in the current run. Empty if the evaluation failed, with the reason
/// reported.
using Condition = std::function<std::optional<bool>(const ExprPtr&)>;

}  // namespace opledger
