#pragma once
#include <optional>
#include <string_view>

#include "expr/ast.h"

/// Conversion between the words of aggregates, such as `sum`, and the enum `Aggregate`.
namespace opledger {

/// Returns the word of an aggregate in formulas.
const char* name_of(Aggregate aggregate);
/// Returns the aggregate of this word; nothing if no aggregate has it.
std::optional<Aggregate> aggregate_named(std::string_view name);

/// Returns whether the word also names a function: `min(a, b)` and `max(a, b)`.
inline bool is_function_too(Aggregate aggregate) { return aggregate == Aggregate::min || aggregate == Aggregate::max; }

}  // namespace opledger
