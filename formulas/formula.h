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

/// Linked formulas, the names that they give a value, and the sets over which they are evaluated.
///
/// A formula is evaluated at a point: one current word of each set. Words come from `sets:` of a document, from inputs that choose one of some words,
/// and from the engine, whose sets have elements (nodes of a graph, transfers, stages, …) with fields and with words of other sets that they belong to.
namespace opledger {

struct Function;

/// A linked definition.
struct Def {
  std::string name;
  Span span;
  std::string doc, source, unit_text;
  std::optional<Dimension> unit;
  SetId set;  ///< Of its cases; none: it has none.
  std::vector<std::pair<WordId, const Formula*>> cases;
  const Formula* otherwise = nullptr;
  const Formula* when = nullptr;
};

/// A set in a mask of sets.
inline std::uint64_t bit(SetId set) { return std::uint64_t{1} << set.number(); }

/// Sets on which a value may depend, and those without which it can't be evaluated, as masks.
struct Variance {
  std::uint64_t varies = 0, needs = 0;
  std::vector<SetId> key;  ///< The sets of `varies`.
};

/// Of names and functions that vary with more than by their own definitions.
using Widened = std::unordered_map<const void*, Variance>;

struct Name {
  std::string name;
  std::uint32_t id = 0;
  bool at_node = false;  ///< A quantity: every node has one of its own.
  SetId of;              ///< A quantity that every word of a set of operators has instead.
  bool metric = false;
  bool missing = false;          ///< A document that the run does without: what needs it has no value, and nobody is to blame.
  bool input = false;            ///< Its value comes from a document or from `--set`.
  Type type;                     ///< Of an input.
  std::vector<const Def*> defs;  ///< Newest first.
  std::map<const Operator*, std::vector<const Def*>> by_op;
  Variance variance;
  std::vector<std::pair<std::string, std::string>> published;
  const Record* constant = nullptr;      ///< Of a record input.
  std::vector<const Record*> documents;  ///< Of one that stands for several documents, by word of `chosen_by`; `constant` is the first then.
  const Name* chosen_by = nullptr;

  const Def* newest() const { return defs.empty() ? nullptr : defs[0]; }  ///< Null: there is none.
  Span span() const { return defs.empty() ? Span{} : defs[0]->span; }
  /// The newest that says what the name is; if none does, the newest.
  const Def* described() const {
    const auto said = std::find_if(defs.begin(), defs.end(), [](const Def* def) { return !def->doc.empty(); });
    return said == defs.end() ? newest() : *said;
  }
};

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
  const Value* value = nullptr;  ///< constant, word
  const Name* name = nullptr;
  const Function* function = nullptr;
  SetId set;                                 ///< set, aggregate, running
  std::int32_t slot = -1;                    ///< local: which argument. field of a set's elements, node_value: Program::field_id
  std::string text;                          ///< word, field, builtin, node_value
  std::unique_ptr<const Bindings> bindings;  ///< at
  std::vector<const Formula*> args;
  ExprPtr source;
};

struct Function {
  std::string name;
  std::vector<std::string> parameters;
  std::vector<const Def*> defs;  ///< Newest first.
  Span span;                     ///< Of the newest.
  Variance variance;
};

}  // namespace opledger
