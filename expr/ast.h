#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/source.h"
#include "base/units.h"

/// Formulas as syntax trees. A tree records the text of a formula; `formulas/link` looks its names up later.
namespace opledger {

/// Operations of arithmetic, comparison and logic. Trees, tapes and kernels share this list.
enum class Op : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  floor_divide,  ///< `//`, the quotient rounded down.
  modulo,        ///< `%`, the remainder of `//`, with the sign of the divisor.
  power,
  minimum,
  maximum,
  gcd,  ///< Greatest common divisor of two whole numbers.
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
  select,  ///< Operands: condition, then, else.
};

/// Aggregate functions over the elements of a set. `running` sums up to the current element.
enum class Aggregate : std::uint8_t { sum, product, max, min, mean, any, all, running, count };

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

/// A node of a syntax tree. Nodes are immutable after parsing and may be shared between trees.
struct Expr {
  enum class Kind : std::uint8_t {
    number,     ///< `number` in base units of `dimension`; `text` is the literal, with one blank before its unit
    boolean,    ///< `number` is 0 or 1
    text,       ///< quoted text; `text` excludes the quotes
    null,       ///< `null`, the absent value
    inherited,  ///< `inherited`, the definition that the current definition replaces
    name,       ///< `text`
    member,     ///< args[0] . text
    at,         ///< args[0] .( args[1] ): args[1], evaluated at the words that args[0] (a name or a chain of members) chooses or clears
    index,      ///< args[0] [ args[1] ]
    call,       ///< args[0] ( args[1] … )
    list,       ///< [ args… ]
    operation,  ///< `op` over args, including `and` and `or`
    in,         ///< args[0] in args[1]: whether args[1], a list or `divisors(n)`, contains args[0]
    condition,  ///< args[0] is the condition, args[1] and args[2] are the branches
    aggregate,  ///< `aggregate` of args[0] over the set `text`; an optional args[1] is the `where` condition
  };

  Kind kind = Kind::null;
  Op op = Op::add;                       ///< Operation; only of the kind `operation`.
  Aggregate aggregate = Aggregate::sum;  ///< Only of the kind `aggregate`.
  double number = 0;
  Dimension dimension;        ///< Dimension of a number.
  std::string text;           ///< Name, literal or text, by kind.
  std::vector<ExprPtr> args;  ///< Operands, never null.
  std::vector<ExprPtr> per;   ///< Aggregate: names of the sets whose current words stay chosen; empty: every set keeps its word.
  Span span;                  ///< Position of the first character inside the brackets, if brackets enclose the expression.
  std::uint32_t depth = 1;    ///< Depth of this subtree, without `per`. The parser keeps it within kMaxTreeDepth, so recursion over a parsed tree is bounded.
};

/// Maximum depth of a parsed tree. A chain `1 + 1 + 1 + …` nests to the left, so its depth equals its length.
inline constexpr std::uint32_t kMaxTreeDepth = 1000;

/// Returns the tree of `op` over `args`, with the position of the first argument. `args` has at least one element.
ExprPtr operation(Op op, std::vector<ExprPtr> args);
ExprPtr both(const ExprPtr& a, const ExprPtr& b);  ///< Returns the tree of `a and b`. A null argument stands for `true`; the result is null if both are.

/// Values of a search axis and an optional filter; in `where`, the name `it` is the value under test.
struct Domain {
  std::vector<ExprPtr> values;  ///< Formulas of the values, in order.
  ExprPtr where;                ///< Condition on values; null: all values.
};

}  // namespace opledger
