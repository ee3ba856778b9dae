#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "expr/ast.h"
#include "formulas/value.h"
#include "schemas/datum.h"

namespace opledger {

/// The type of an input, a document or a field: kind, unit, bounds and default.
struct Type {
  enum class Kind : std::uint8_t { number, integer, boolean, words, text, record, list, per, steps, points, tuple } kind = Kind::number;
  Unit unit;  ///< Unit of numbers without one; units of other numbers must have the same dimension.
  std::string unit_text;
  SetId set;                                         ///< words, per
  std::vector<std::pair<std::string, Type>> fields;  ///< record, tuple
  std::shared_ptr<Type> of;                          ///< list, per
  std::size_t coordinates = 0;                       ///< points
  ExprPtr minimum, maximum;
  bool optional = false;
  bool mean = false;     ///< The value is an average, so values derived from it need not be whole.
  bool neutral = false;  ///< A missing value has no effect; the audit lists no assumption for it.
  Datum fallback;        ///< Value of `default`.
  std::string doc;
  Span span;

  Type() = default;  // clang 14 does not accept an aggregate that contains a vector of pairs of itself
};

}  // namespace opledger
