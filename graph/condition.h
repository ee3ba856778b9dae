#pragma once
#include <functional>
#include <optional>

#include "expr/ast.h"

/// Conditions of models and rules, as a function, because this folder evaluates no formulas.
namespace opledger {

/// Evaluates a `when` of a model or a rule in the current run. Returns nothing if the evaluation failed, with the
/// reason reported. The formula isn't null.
using Condition = std::function<std::optional<bool>(const ExprPtr&)>;

}  // namespace opledger
