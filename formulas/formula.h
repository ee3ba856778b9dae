#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "expr/ast.h"
#include "formulas/input_type.h"
#include "formulas/set.h"
#include "formulas/value.h"
#include "ops/operator.h"

/// Linked formulas, the names that they define, and their dependence on sets.
///
/// A formula is evaluated at a point: one current word of each set. Words come from `sets:` of a document, from inputs
/// that choose a word, and from the engine. The engine's sets have elements (nodes of a graph, transfers, stages) with
/// fields and with words of other sets that the elements belong to.
///
/// A Name has definitions (Def), and a Def has formulas. A document that extends others adds newer definitions in
/// front; `inherited` in a newer one means the value of the next older one.
namespace opledger {

struct Function;

/// A linked definition of a name or function. The value is the formula of the current word in `cases`, else
/// `otherwise`, else the value of the next older definition.
struct Def {
  std::string name;
  Span span;                                             ///< Position of the name in its document.
  std::string doc;                                       ///< Description for readers.
  std::string source;                                    ///< Origin of the formula, such as a paper; empty if not stated.
  std::string unit_text;                                 ///< Declared unit as written; empty if none is declared.
  std::optional<Dimension> unit;                         ///< Declared unit, which the value must have; nothing: any unit.
  SetId set;                                             ///< Set of the words in `cases`; none: the definition has no cases.
  std::vector<std::pair<WordId, const Formula*>> cases;  ///< Formulas by word.
  const Formula* otherwise = nullptr;                    ///< Formula of words without a case; of every point if there are no cases. Null: none.
  const Formula* when = nullptr;                         ///< Condition; if false, the value is absent (0 or false). Null: always true.
};

/// Returns the mask of one set: bit n for the set with number n. Masks of sets have 64 bits (kMaxSets is smaller).
inline std::uint64_t bit(SetId set) { return std::uint64_t{1} << set.number(); }

/// The sets that a value depends on, as masks: `varies` may change the value, `needs` are required for evaluation.
struct Variance {
  std::uint64_t varies = 0, needs = 0;
  std::vector<SetId> key;  ///< Sets of `varies` in order of their numbers; their words form the key of a cached value.
};

/// Variances of names and functions (keys: their addresses) that depend on more sets in one graph, because its nodes
/// have definitions of their own.
using Widened = std::unordered_map<const void*, Variance>;

/// A name that formulas can use: a definition, an input, a parameter, a quantity or a metric.
struct Name {
  std::string name;
  std::uint32_t id = 0;                                      ///< Number of the name, unique in its program; index of caches.
  bool at_node = false;                                      ///< The name is a quantity of nodes or a `let` of an operator: each node has its own value.
  SetId of;                                                  ///< Quantity of operators: set of the operators, each with its own value; none otherwise.
  bool metric = false;                                       ///< The name is a metric, which reports may print.
  bool missing = false;                                      ///< The name is a document that the run lacks. Values that need it are absent, which is no error.
  bool input = false;                                        ///< The value comes from a document or from `--set`.
  Type type;                                                 ///< Type of an input.
  std::vector<const Def*> defs;                              ///< Definitions, newest first.
  std::map<const Operator*, std::vector<const Def*>> by_op;  ///< Quantity: definitions by operator, newest first; they precede `defs`.
  Variance variance;                                         ///< Sets that the value depends on; filled after linking.
  std::vector<std::pair<std::string, std::string>> published;  ///< Templates of published names: (word or empty, template).
  const Record* constant = nullptr;                            ///< Content of a record input.
  std::vector<const Record*> documents;                        ///< Alternative documents by word of `chosen_by`; `constant` is the first of them.
  const Name* chosen_by = nullptr;                             ///< Input whose word selects one of `documents`; null: `constant` is the only document.

  const Def* newest() const { return defs.empty() ? nullptr : defs[0]; }  ///< Returns the newest definition, or null.
  Span span() const { return defs.empty() ? Span{} : defs[0]->span; }
  /// Returns the newest definition with a `doc`; if none has one, the newest definition or null.
  const Def* described() const {
    const auto said = std::find_if(defs.begin(), defs.end(), [](const Def* def) { return !def->doc.empty(); });
    return said == defs.end() ? newest() : *said;
  }
};

/// A node of a linked formula. Unlike Expr, names are resolved, and words know their set.
struct Formula {
  enum class Kind : std::uint8_t {
    constant,    ///< `value`
    name,        ///< the value of `name` at the point
    set,         ///< the current word or element of `set`; the number of the current position of a set of positions
    word,        ///< `value`, a word
    local,       ///< the argument `slot` of the enclosing function
    node_value,  ///< the value `text` of the current node, computed by the engine
    at,          ///< args[0] at the point with the words of `bindings`
    field,       ///< field `text` of the record args[0], or of the current element if args[0] is an element set
    index,       ///< item args[1] of the record or list args[0]
    curve,       ///< the curve args[0] at the numbers args[1], …
    builtin,     ///< the built-in function `text` of args
    function,    ///< `function` with the arguments args
    list,        ///< the list of args
    operation,   ///< `op` of one or two args
    in,          ///< args[0] in the list args[1], or in `divisors(n)`
    condition,   ///< args[1] if args[0] holds, else args[2]
    aggregate,   ///< `aggregate` of args[0] over the members of `set` at which args[1], if present, holds
    running,     ///< sum of args[0] over the elements of `set` up to the current one, with the same optional args[1]
    inherited    ///< the value of the next older definition
  };
  Kind kind = Kind::constant;
  Op op = Op::add;                           ///< Operation.
  Aggregate aggregate = Aggregate::sum;      ///< Kind of an aggregate.
  const Value* value = nullptr;              ///< Value of a constant or word.
  const Name* name = nullptr;                ///< Name that is read.
  const Function* function = nullptr;        ///< Function that is called.
  SetId set;                                 ///< Set of a set, aggregate or running sum.
  std::int32_t slot = -1;                    ///< Local: position of the argument. Field, node value: number by Program::field_id.
  std::string text;                          ///< Name of a word, field, built-in function or node value.
  std::unique_ptr<const Bindings> bindings;  ///< Words that an `at` makes current.
  std::vector<const Formula*> args;          ///< Parts, owned by the program's storage.
  ExprPtr source;                            ///< Source expression for messages; null for generated formulas.
};

/// A function that formulas can call with values; a definition by name, evaluated at the point of the call.
struct Function {
  std::string name;
  std::vector<std::string> parameters;  ///< Names of the arguments in order.
  std::vector<const Def*> defs;         ///< Definitions, newest first.
  Span span;                            ///< Position of the newest definition.
  Variance variance;                    ///< Sets that the result depends on, apart from the arguments; filled after linking.
};

}  // namespace opledger
