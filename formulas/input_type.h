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

/// What a value of an input must be.
struct Type {
  enum class Kind : std::uint8_t { number, integer, boolean, words, text, record, list, per, steps, points, tuple } kind = Kind::number;
  Unit unit;  ///< Numbers without a unit of their own are in this one; others must agree with it.
  std::string unit_text;
  SetId set;                                         ///< words, per
  std::vector<std::pair<std::string, Type>> fields;  ///< record, tuple
  std::shared_ptr<Type> of;                          ///< list, per
  std::size_t coordinates = 0;                       ///< points
  ExprPtr minimum, maximum;
  bool optional = false;
  bool mean = false;     ///< An average: what is as long as it, or as anything that follows from it, need not be whole.
  bool neutral = false;  ///< What is left out of it takes no part: nothing is assumed.
  Datum fallback;        ///< `default`
  std::string doc;
  Span span;

  Type() = default;  // clang 14 can't see an aggregate through a vector of pairs of itself
};

}  // namespace opledger
