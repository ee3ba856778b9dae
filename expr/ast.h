#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/source.h"
#include "base/units.h"

/// Formulas as trees. A tree is what was written: names are not looked up here.
namespace opledger {

/// Arithmetic, comparison and logic: shared by trees, tapes and their evaluation.
enum class Op : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  power,
  minimum,
  maximum,
  gcd,  ///< greatest common divisor of two whole numbers
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  logical_and,
  logical_or,
  logical_not,
  negate,
  floor,
  ceil,
  absolute,
  square_root,
  log2,
  select,  ///< condition, then, else
};

enum class Aggregate : std::uint8_t { sum, product, max, min, mean, any, all, running, count };

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

struct Expr {
  enum class Kind : std::uint8_t {
    number,   ///< `number` in base units of `dimension`; `text` is the literal as written, unit included
    boolean,  ///< `number` is 0 or 1
    text,     ///< 'quoted'
    null,
    inherited,
    name,       ///< `text`
    member,     ///< args[0] . text
    at,         ///< args[0] .( args[1] ): evaluate args[1] where args[0] (a name or a chain of members) is current
    index,      ///< args[0] [ args[1] ]
    call,       ///< args[0] ( args[1] … )
    list,       ///< [ args… ]
    operation,  ///< `op` over args; logical_and and logical_or too
    in,         ///< args[0] in args[1]
    condition,  ///< if args[0] then args[1] else args[2]
    aggregate,  ///< `aggregate` of args[0] over the set `text`, args[1] the `where` if there is one
  };

  Kind kind = Kind::null;
  Op op = Op::add;
  Aggregate aggregate = Aggregate::sum;
  double number = 0;
  Dimension dimension;
  std::string text;
  std::vector<ExprPtr> args;
  std::vector<ExprPtr> per;  ///< aggregate: names of the sets whose current words are kept; empty: all are.
  Span span;                 ///< Of the first character of this part of the formula.
  std::uint32_t depth = 1;   ///< Of the tree from here down; the parser keeps it within kMaxTreeDepth, so walking by recursion is safe.
};

/// Longest way down a parsed tree: `1 + 1 + 1 + …` is as deep as it is long.
inline constexpr std::uint32_t kMaxTreeDepth = 1000;

/// An operation of formulas that were parsed, at the place of the first.
ExprPtr operation(Op op, std::vector<ExprPtr> args);
ExprPtr both(const ExprPtr& a, const ExprPtr& b);  ///< `a and b`; null holds always.

/// A search axis: values, perhaps filtered. `it` is the value in question in `where`.
struct Domain {
  std::vector<ExprPtr> values;
  ExprPtr where;
};

}  // namespace opledger
