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

/// A program: everything that documents define, linked together. Accountings, operators, a model and an execution become named formulas over sets.
namespace opledger {

/// Names visible to a formula, innermost first.
struct NameScope {
  const NameScope* parent = nullptr;
  std::unordered_map<std::string, Name*> names;
  std::unordered_map<std::string, std::int32_t> locals;
  const Operator* op = nullptr;  ///< Its ports, attributes, parameters and dimensions are visible.
};

/// A name that rules may give to elements of one of the engine's sets: a field, or with words a set that the elements belong to.
struct MarkType {
  SetId of;
  std::string name;
  Type type;
  Name* fallback = nullptr;  ///< The value of what no rule marks; null: `word` counts.
  Definition usual;          ///< Its formula, which may name what is declared later: linked when all names are known.
  WordId word = -1;
  bool joins = false;  ///< Its words are a set of its own, to which the elements belong; otherwise it is a field.
  Span span;
};

/// Formulas and what they consist of, kept for as long as something refers to them: a program's own, or those that are linked over one that stays as it is.
struct Formulas {
  std::vector<std::unique_ptr<Name>> names;
  std::vector<std::unique_ptr<Function>> functions;
  std::deque<Formula> formulas;
  std::deque<Def> defs;
  std::deque<Value> values;  ///< Of constants and words.
  std::vector<std::unique_ptr<NameScope>> scopes;
  std::vector<std::unique_ptr<Record>> records;
  std::vector<std::unique_ptr<Curve>> curves;
  std::vector<std::unique_ptr<std::string>> texts;
};

class Program : public Formulas {
 public:
  Program();
  ~Program();
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;

  /// One that has its name already; gives it its id.
  Set& add(std::unique_ptr<Set> set);
  SetId find_set(const std::string& name) const;
  const Set& set(SetId id) const { return *sets[id]; }
  /// These sets and all to whose words or elements theirs belong.
  std::vector<SetId> with_joined(std::vector<SetId> of) const;
  Name* find(std::string_view name) const;  ///< In the global scope.
  /// What can be given a value: an input of the accounting, an axis of the mesh, and what was left open of model and documents.
  Name* find_input(std::string_view name) const;
  Function* find_function(std::string_view name) const;
  const Published* find_published(std::string_view name) const;
  /// A metric under its published name, or any other global name at no particular point. Empty, with an error, if there is none.
  std::optional<Published> metric(std::string_view name, Diagnostics& diagnostics) const;
  /// The number of a field of elements or nodes: Formula::slot of formulas that read it.
  std::int32_t field_id(const std::string& name) const;
  std::uint32_t next_name() const;                                               ///< Name::id of one more name, here or in what is linked over the program.
  const Role* find_role(std::string_view command, std::string_view word) const;  ///< Null: the accounting says nothing of it.

  IdVector<SetId, std::unique_ptr<Set>> sets;
  NameScope* global = nullptr;
  NameScope* model = nullptr;  ///< The model's parameters, then the global names.
  NameScope* graph = nullptr;  ///< What formulas of the graph see: the same, or only the global names where the graph is the accounting's own.
  std::vector<Constraint> constraints;
  std::vector<Table> tables;
  std::map<std::string, std::vector<ReportPart>, std::less<>> reports;
  std::map<std::string, Comparison, std::less<>> compares;  ///< By the other accounting's name.
  std::vector<Check> checks;
  std::vector<View> views;                                         ///< In the order of the documents.
  std::map<std::string, std::vector<Role>, std::less<>> commands;  ///< By the command's name.
  std::vector<Name*> metrics;                                      ///< In the order of the documents.
  std::vector<Published> published;                                ///< The same under the names that they are published by.
  std::vector<std::pair<Name*, Span>> inputs;
  std::vector<MarkType> marks;
  std::vector<CaseSet> cases;
  std::vector<CaseModel> models;  ///< That of the run, and those that words of cases have instead.
  const OperatorLibrary* operators = nullptr;
  std::vector<WordId> nodes;  ///< Positions of the operators that stand for nodes where units are checked.
  const Engine* engine = nullptr;

 private:
  struct Numbers;
  std::unique_ptr<Numbers> numbers_;  ///< Given to names, fields and sets so far.
};

}  // namespace opledger
