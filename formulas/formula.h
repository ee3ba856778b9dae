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
namespace opledger {

struct Function;

/// A linked definition of a name or function.
struct Def {
  std::string name;
  Span span;
  std::string doc, source, unit_text;
  std::optional<Dimension> unit;
  SetId set;  ///< Set of the words in `cases`; none: the definition has no cases.
  std::vector<std::pair<WordId, const Formula*>> cases;
  const Formula* otherwise = nullptr;
  const Formula* when = nullptr;
};

/// Returns the mask of one set.
inline std::uint64_t bit(SetId set) { return std::uint64_t{1} << set.number(); }

/// The sets that a value depends on, as masks: `varies` may change the value, `needs` are required for evaluation.
struct Variance {
  std::uint64_t varies = 0, needs = 0;
  std::vector<SetId> key;  ///< Members of `varies`, in order of their numbers.
};

/// Variances of names and functions that nodes' own definitions make depend on more sets.
using Widened = std::unordered_map<const void*, Variance>;

/// A name that formulas can use: a definition, an input, a parameter, a quantity or a metric.
struct Name {
  std::string name;
  std::uint32_t id = 0;
  bool at_node = false;  ///< The name is a quantity of nodes: each node has its own value.
  SetId of;              ///< Set of operators whose words each have a value, for a quantity of operators; none otherwise.
  bool metric = false;
  bool missing = false;          ///< The name is a document that the run lacks. Values that need it are absent, which is no error.
  bool input = false;            ///< The value comes from a document or from `--set`.
  Type type;                     ///< Type of an input.
  std::vector<const Def*> defs;  ///< Definitions, newest first.
  std::map<const Operator*, std::vector<const Def*>> by_op;
  Variance variance;
  std::vector<std::pair<std::string, std::string>> published;
  const Record* constant = nullptr;      ///< Content of a record input.
  std::vector<const Record*> documents;  ///< Alternative documents by word of `chosen_by`; `constant` is the first of them.
  const Name* chosen_by = nullptr;

  const Def* newest() const { return defs.empty() ? nullptr : defs[0]; }  ///< Returns the newest definition, or null.
  Span span() const { return defs.empty() ? Span{} : defs[0]->span; }
  /// Returns the newest definition with a `doc`; without any, the newest definition.
  const Def* described() const {
    const auto said = std::find_if(defs.begin(), defs.end(), [](const Def* def) { return !def->doc.empty(); });
    return said == defs.end() ? newest() : *said;
  }
};

/// A node of a linked formula. Unlike Expr, names are resolved, and words know their set.
struct Formula {
  enum class Kind : std::uint8_t {
    constant,
    name,
    set,
    word,
    local,
    node_value,
    at,
    field,
    index,
    curve,
    builtin,
    function,
    list,
    operation,
    in,
    condition,
    aggregate,
    running,
    inherited
  };
  Kind kind = Kind::constant;
  Op op = Op::add;
  Aggregate aggregate = Aggregate::sum;
  const Value* value = nullptr;  ///< value of a constant or word
  const Name* name = nullptr;
  const Function* function = nullptr;
  SetId set;                                 ///< set of a set, aggregate or running sum
  std::int32_t slot = -1;                    ///< local: position of the argument. field of an element, node_value: Program::field_id
  std::string text;                          ///< name of a word, field, built-in function or node value
  std::unique_ptr<const Bindings> bindings;  ///< words bound by an `at`
  std::vector<const Formula*> args;
  ExprPtr source;
};

/// A function that formulas can call.
struct Function {
  std::string name;
  std::vector<std::string> parameters;
  std::vector<const Def*> defs;  ///< Definitions, newest first.
  Span span;                     ///< Position of the newest definition.
  Variance variance;
};

}  // namespace opledger
