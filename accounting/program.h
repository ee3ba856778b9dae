#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "accounting/value.h"
#include "base/diagnostics.h"
#include "expr/ast.h"
#include "models/model.h"
#include "ops/definition.h"
#include "ops/operator.h"
#include "schemas/library.h"

/// A program: everything that documents define, linked together. Accountings, operators, a model and an execution become named formulas over sets.
///
/// A formula is evaluated at a point: one current word of each set. Words come from `sets:` of a document, from inputs that choose one of some words,
/// and from the engine, whose sets have elements (nodes of a graph, transfers, stages, …) with fields and with words of other sets that they belong to.
namespace opledger {

struct Formula;
struct Name;
struct Function;

struct FieldType {
  Value::Kind kind = Value::Kind::number;
  Dimension unit;
};

/// A set: words, or elements that are filled in when a run has a graph.
struct Set {
  std::string name;
  SetId id = -1;
  std::vector<std::string> words;                 ///< Of a word set, or the names of the elements.
  std::vector<std::string> texts;                 ///< How a word is written in published names.
  std::unordered_map<std::string, WordId> index;  ///< Word -> position (word sets only).
  bool elements = false;
  WordId default_word = -1;       ///< Current where nothing else was chosen.
  std::vector<SetId> belongs_to;  ///< Element sets: sets whose words choosing an element chooses too.
  std::map<std::string, FieldType, std::less<>> fields;
  const Name* binder = nullptr;            ///< A name of the same name: its value is the current word where none was chosen.
  std::vector<const Operator*> operators;  ///< `optimizer: {operators: optimizer_step}`: its words are the operators that extend that one.
  const Operator* family = nullptr;        ///< That one.
  ExprPtr positions;                       ///< `network: system.networks`: the positions of a list.
  const Formula* positions_formula = nullptr;
  Span span;
};

/// A linked definition.
struct Def {
  std::string name;
  Span span;
  std::string doc, source, unit_text;
  std::optional<Dimension> unit;
  SetId set = -1;  ///< Of its cases; -1: none.
  std::vector<std::pair<WordId, const Formula*>> cases;
  const Formula* otherwise = nullptr;
  const Formula* when = nullptr;
};

/// What a value of an input must be.
struct Type {
  enum class Kind : std::uint8_t { number, integer, boolean, words, text, record, list, per, steps } kind = Kind::number;
  Unit unit;  ///< Numbers without a unit of their own are in this one; others must agree with it.
  std::string unit_text;
  SetId set = -1;                                    ///< words, per
  std::vector<std::pair<std::string, Type>> fields;  ///< record
  std::shared_ptr<Type> of;                          ///< list, per
  ExprPtr minimum, maximum;
  bool optional = false;
  Datum fallback;  ///< `default`
  std::string doc;
  Span span;
};

struct Name {
  std::string name;
  std::uint32_t id = 0;
  bool at_node = false;  ///< A quantity: every node has one of its own.
  SetId of = -1;         ///< A quantity that every word of a set of operators has instead.
  bool metric = false;
  bool input = false;            ///< Its value comes from a document or from `--set`.
  Type type;                     ///< Of an input.
  std::vector<const Def*> defs;  ///< Newest first.
  std::map<const Operator*, std::vector<const Def*>> by_op;
  std::uint64_t varies = 0;  ///< Sets on which its value may depend, as a mask.
  std::uint64_t needs = 0;   ///< Those without which it can't be evaluated.
  std::vector<SetId> key;
  std::vector<std::pair<std::string, std::string>> published;
  const Record* constant = nullptr;  ///< Of a record input.
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
  Value value;  ///< constant
  const Name* name = nullptr;
  const Function* function = nullptr;
  SetId set = -1;                                  ///< set, aggregate, running
  std::int32_t slot = -1;                          ///< local: which argument
  std::string text;                                ///< word, field, builtin, node_value
  std::vector<std::pair<SetId, WordId>> bindings;  ///< at
  std::vector<const Formula*> args;
  const Expr* source = nullptr;
  ExprPtr keep;  ///< Keeps `source` alive.
};

struct Function {
  std::string name;
  std::vector<std::string> parameters;
  Def body;
  Span span;
};

struct Constraint {
  Span span;
  SetId over = -1;  ///< `for`
  const Formula* when = nullptr;
  const Formula* require = nullptr;
  std::vector<std::pair<std::string, const Formula*>> message;  ///< Text, then a value to print (or null).
  std::string reason;
  std::vector<Constraint> all;
  std::int32_t index = -1;
};

struct Column {
  std::string title;
  Name* name = nullptr;
  Span span;
};
struct Table {
  std::string name, title, doc;
  SetId rows = -1;
  const Formula* where = nullptr;
  std::vector<std::pair<std::string, Name*>> columns;
  Span span;
};

/// What a command prints: titled groups of metrics and tables.
struct ReportPart {
  std::string title;
  std::vector<std::pair<std::string, std::string>> metrics;  ///< (key to print, published name)
  std::string table;
  bool detail = false;  ///< Only for formats that programs read.
  Span span;
};

/// Names visible to a formula, innermost first.
struct NameScope {
  const NameScope* parent = nullptr;
  std::unordered_map<std::string, Name*> names;
  std::unordered_map<std::string, std::int32_t> locals;
  const Operator* op = nullptr;  ///< Its ports, attributes, parameters and dimensions are visible.
};

class Program {
 public:
  Program();
  ~Program();
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;

  SetId find_set(std::string_view name) const;
  const Set& set(SetId id) const { return *sets[static_cast<std::size_t>(id)]; }
  Name* find(std::string_view name) const;  ///< In the global scope.

  std::vector<std::unique_ptr<Set>> sets;
  std::vector<std::unique_ptr<Name>> names;
  std::vector<std::unique_ptr<Function>> functions;
  std::vector<std::unique_ptr<Formula>> formulas;
  std::vector<std::unique_ptr<Def>> defs;
  std::vector<std::unique_ptr<NameScope>> scopes;
  std::vector<std::unique_ptr<Record>> records;
  std::vector<std::unique_ptr<Curve>> curves;
  std::vector<std::unique_ptr<std::string>> texts;
  NameScope* global = nullptr;
  NameScope* model = nullptr;  ///< The model's parameters, then the global names.
  std::vector<Constraint> constraints;
  std::vector<Table> tables;
  std::map<std::string, std::vector<ReportPart>, std::less<>> reports;
  std::vector<Name*> metrics;  ///< In the order of the documents.
  std::vector<std::pair<Name*, Span>> inputs;
  const OperatorLibrary* operators = nullptr;
};

}  // namespace opledger
