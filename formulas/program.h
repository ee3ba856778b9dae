#pragma once
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formulas/cases.h"
#include "formulas/compares.h"
#include "formulas/engine.h"
#include "formulas/formula.h"
#include "formulas/sections.h"
#include "ops/operator.h"

/// A program: the linked definitions of all documents of a run. Accountings, operators, a model and an execution become
/// named formulas over sets. A program has no elements and no values; an Evaluator computes them. `link_program`
/// (read/reader.h) builds a program, which then stays unchanged; formulas linked later live in Formulas of their own.
namespace opledger {

/// Names visible to a formula. Inner scopes hide names of outer ones.
struct NameScope {
  const NameScope* parent = nullptr;                     ///< Surrounding scope; null for the global one.
  std::unordered_map<std::string, Name*> names;          ///< Names of this scope by their texts.
  std::unordered_map<std::string, std::int32_t> locals;  ///< Positions of a function's arguments by name.
  const Operator* op = nullptr;                          ///< Operator whose ports, attributes, parameters and dimensions are visible.
};

/// A mark that rules may set on elements of an engine set: a field, or a set of words that the elements belong to.
struct MarkType {
  SetId of;                  ///< Set of the marked elements.
  std::string name;          ///< Name of the mark.
  Type type;                 ///< Type of the mark's values.
  Name* fallback = nullptr;  ///< Name with the value of unmarked elements; null: `word` is the value.
  Definition usual;          ///< Definition of `fallback`. It may use later names, so it is linked after all names are known.
  WordId word = -1;          ///< Word of unmarked elements if `fallback` is null.
  bool joins = false;        ///< The words form a set that the elements belong to; otherwise the mark is a field.
  Span span;                 ///< Position of the declaration.
};

/// Storage of linked formulas and their parts, which refer to each other by address. A program is one; formulas that
/// are linked over an unchanged program have another. Addresses stay valid while items are added.
struct Formulas {
  std::vector<std::unique_ptr<Name>> names;
  std::vector<std::unique_ptr<Function>> functions;
  std::deque<Formula> formulas;
  std::deque<Def> defs;
  std::deque<Value> values;  ///< Values of constants and words.
  std::vector<std::unique_ptr<NameScope>> scopes;
  std::vector<std::unique_ptr<Record>> records;
  std::vector<std::unique_ptr<Curve>> curves;
  std::vector<std::unique_ptr<std::string>> texts;
};

/// The names, sets and sections of a run. Only readers in `read/`, the engine and the linker change a program.
class Program : public Formulas {
 public:
  Program();
  ~Program();
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;

  // Sets.
  /// Adds a set and assigns its id. The first set of a name is found by the name, but a set replaces a former name.
  Set& add(std::unique_ptr<Set> set);
  /// Adds a former name of a set, which documents may still use for a while; a set of this name has precedence.
  void add_former_name(std::string name, SetId set);
  /// Returns the set of this name; no set if none exists.
  SetId find_set(const std::string& name) const;
  /// Returns the set of this name or former name; no set if none exists. A former name gets a warning at `at`.
  SetId find_set(const std::string& name, const Span& at, Diagnostics& diagnostics) const;
  /// Returns the set of this name or former name, without a warning, and whether the name is a former one.
  std::pair<SetId, bool> find_set_or_former(const std::string& name) const;
  const Set& set(SetId id) const { return *sets[id]; }
  /// Returns `of` and all sets that their elements belong to, transitively.
  std::vector<SetId> with_joined(std::vector<SetId> of) const;

  // Names. Each function returns null if nothing has the name.
  Name* find(std::string_view name) const;  ///< Returns the name in the global scope, or null.
  /// Returns an input by name, or null. Inputs are those of the accounting, axes of the mesh, and open fields of the
  /// model or a document.
  Name* find_input(std::string_view name) const;
  Function* find_function(std::string_view name) const;
  /// Returns the metric published under `name`, or null.
  const Published* find_published(std::string_view name) const;
  /// Returns the metric published under `name`, or any global name. Reports an error and returns nothing if neither
  /// exists.
  std::optional<Published> metric(std::string_view name, Diagnostics& diagnostics) const;
  /// Returns the number of a field of elements or nodes, assigning one on first use: Formula::slot of its readers.
  std::int32_t field_id(const std::string& name) const;
  std::uint32_t next_name() const;  ///< Allocates Name::id for a name of the program or of formulas linked over it.
  /// Returns the role of a word in a command; null if the accounting defines none.
  const Role* find_role(std::string_view command, std::string_view word) const;

  // Content, filled by the readers in `read/`.
  IdVector<SetId, std::unique_ptr<Set>> sets;  ///< Sets of the engine, then sets of documents.
  NameScope* global = nullptr;                 ///< Scope of the accounting's names.
  NameScope* model = nullptr;                  ///< Scope of the model's parameters, inside the global scope.
  NameScope* graph = nullptr;           ///< Scope of the graph's formulas: `model`, or a scope with global names only if the accounting brings its own graph.
  std::vector<Constraint> constraints;  ///< Conditions on a run, in the order of checking.
  std::vector<Constraint> remarks;      ///< Warnings: constraints with a false requirement, violated if `when` holds.
  std::vector<Hint> hints;              ///< Hints of the page of a run.
  std::vector<Table> tables;            ///< Tables that reports print.
  std::map<std::string, std::vector<ReportPart>, std::less<>> reports;  ///< Parts of a report by the report's name.
  std::map<std::string, Comparison, std::less<>> compares;              ///< Comparisons by the other accounting's name.
  std::vector<Check> checks;                                            ///< Pairs of numbers that must agree in every run.
  std::vector<View> views;                                              ///< Views in the order of the documents.
  std::map<std::string, std::vector<Role>, std::less<>> commands;       ///< Roles by command.
  std::vector<Name*> metrics;                                           ///< Metrics in the order of the documents.
  std::vector<Published> published;                                     ///< Metrics under their published names.
  std::vector<std::pair<Name*, Span>> inputs;                           ///< Inputs and the positions of their declarations.
  std::vector<MarkType> marks;                                          ///< Marks that rules may set.
  std::vector<CaseSet> cases;                                           ///< Sets whose words change settings of the run.
  std::vector<CaseModel> models;                                        ///< Counted models: [0] is the run's model; models of case words follow.
  const OperatorLibrary* operators = nullptr;                           ///< All operators; null without a graph.
  std::vector<WordId> nodes;                                            ///< Positions of the operators that replace nodes while units are checked.
  const Engine* engine = nullptr;                                       ///< Engine that declares and fills the first sets.

 private:
  struct Numbers;
  std::unique_ptr<Numbers> numbers_;  ///< Numbers assigned to names, fields and sets.
};

}  // namespace opledger
