#pragma once
#include <optional>
#include <string_view>

#include "expr/ast.h"

/// The words for aggregates.
namespace opledger {

const char* name_of(Aggregate aggregate);
std::optional<Aggregate> aggregate_named(std::string_view name);

/// `min` and `max` are functions as well: `min(a, b)`.
inline bool is_function_too(Aggregate aggregate) { return aggregate == Aggregate::min || aggregate == Aggregate::max; }

}  // namespace opledger
