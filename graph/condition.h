#pragma once
#include <functional>
#include <optional>

#include "expr/ast.h"

namespace opledger {

/// Whether a `when:` of a model or a rule holds in this run. Empty: it can't be told (the evaluation reported why).
using Condition = std::function<std::optional<bool>(const ExprPtr&)>;

}  // namespace opledger
