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

/// Types of inputs as documents declare them. `parse_type` (link/types.h) creates them, `read_value` reads values.
namespace opledger {

/// The type of an input, a document or a field: kind, unit, bounds and default.
struct Type {
  enum class Kind : std::uint8_t {
    number,   ///< a number in `unit`
    integer,  ///< a whole number
    boolean,  ///< true or false
    words,    ///< a word of `set`
    text,     ///< any text
    record,   ///< a mapping with `fields`
    list,     ///< a list of values of the type `of`
    per,      ///< a mapping from words of `set` to values of the type `of`
    steps,    ///< a step function over numbers in `unit`
    points,   ///< a function of `coordinates` numbers, given by scattered points
    tuple,    ///< a record with `fields`, written as a list in their order
  } kind = Kind::number;
  Unit unit;                                         ///< Unit of numbers without one; units of other numbers must have the same dimension.
  std::string unit_text;                             ///< Unit as written; empty: numbers are plain.
  SetId set;                                         ///< Set of `words` and `per`.
  std::vector<std::pair<std::string, Type>> fields;  ///< Names and types of the fields of a record or tuple.
  std::shared_ptr<Type> of;                          ///< Type of the values of a list or `per`.
  std::size_t coordinates = 0;                       ///< Number of coordinates of `points`, 1 to Curve::kMaxCoordinates.
  ExprPtr minimum, maximum;                          ///< Inclusive bounds of numbers, of values of a curve, or of a list's length, as literals; null: none.
  bool optional = false;                             ///< The type has a default, `fallback`.
  bool mean = false;                                 ///< The value is an average, so values derived from it need not be whole.
  bool neutral = false;                              ///< A missing value has no effect; the audit lists no assumption for it.
  Datum fallback;                                    ///< Value of `default`.
  std::string doc;                                   ///< Description for readers.
  Span span;                                         ///< Position of the declaration.

  Type() = default;  // clang 14 does not accept an aggregate that contains a vector of pairs of itself
};

}  // namespace opledger
