#pragma once
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "formulas/program.h"
#include "models/model.h"
#include "run/case_documents.h"
#include "run/documents.h"
#include "run/extensions.h"
#include "run/graph_sources.h"
#include "run/sources.h"

/// Documents of a run, linked into a program before any value is computed: `LinkedRun::link`. The result is immutable;
/// `Run` adds the graph and an evaluator, `CompiledProgram` compiles it for many candidates.
namespace opledger {

/// A counted graph made of the operators of the run's model.
struct OwnGraph {
  Model model;  ///< Model of the run.
};
/// A counted graph that the accounting names (`graph`), with the run's model as a source of input values.
struct BorrowedGraph {
  Model model;                         ///< Graph that the accounting names.
  std::vector<Definition> parameters;  ///< Parameters of the run's model.
};
/// No graph: the accounting consists of closed formulas. `parameters` are those of the run's model.
struct FormulasAlone {
  std::vector<Definition> parameters;
  bool has_model = false;  ///< True if a model states values of inputs.
};
/// The graph that a run counts.
using CountedGraph = std::variant<FormulasAlone, OwnGraph, BorrowedGraph>;

/// The documents, program, mesh and rules of one run.
class LinkedRun {
 public:
  /// Loads and links the documents of a request. Returns null, with errors, if a document or formula is wrong.
  static std::unique_ptr<LinkedRun> link(const RunRequest& request, Library& library, Diagnostics& diagnostics);
  LinkedRun(const LinkedRun&) = delete;
  LinkedRun& operator=(const LinkedRun&) = delete;

  const RunRequest& request() const { return original_; }                                                            ///< The request as received.
  const Program& program() const { return *program_; }                                                               ///< The linked formulas.
  const std::string& accounting() const { return documents_.accounting_name; }                                       ///< Name of the accounting as written.
  const Document* stack_document() const { return documents_.stacks.empty() ? nullptr : documents_.stacks.back(); }  ///< Null if no stack is named.
  const std::string& stack_name() const;                        ///< Name of the stack; `none` if the run could have one; empty if a stack would mean nothing.
  const std::string& execution_name() const;                    ///< Name of the execution; empty if the default execution is unused.
  bool has_system() const { return !request_.system.empty(); }  ///< True if the run names a machine.
  const Model* model() const;                                   ///< Model whose graph is counted; null without a graph.
  bool has_model() const { return model() != nullptr; }         ///< True if the run counts a graph.
  /// Returns the sources to build a graph: `model` 0 is the model of the run, a higher number is an index in
  /// Program::models of a model at words of cases.
  GraphSources graph_sources(std::size_t model = 0) const;
  /// Returns the documents that words of cases use in place of the run's documents.
  const std::vector<NamedDocument>& case_documents() const { return named_; }
  std::vector<const Model*> other_models() const;  ///< Models at words of cases, in the order of Program::models from 1.
  /// Returns whether a model of the run only states values of inputs: the accounting names its own graph, or it counts
  /// none and the run has a model.
  bool model_gives_values() const;
  /// Returns whether a name belongs to the source of a translation: to the model or to a run of another accounting
  /// (`TranslatedInputs::names`). Setting such a name changes the translated values.
  bool is_translated(const std::string& name) const { return translated_names_.count(name) != 0; }

  const RunExtensions& extensions() const { return *extensions_; }  ///< Functions of folders that include run/.
  Library& library() const { return *library_; }                    ///< Library that the documents were loaded from.
  /// The documents of the run by role; null without one. The library owns them, and this run owns corrected systems.
  const Document* model_document() const { return documents_.model; }
  const Document* space_document() const { return documents_.space; }
  const Document* execution_document() const { return documents_.execution; }
  const Document* accounting_document() const { return documents_.accounting; }
  const Document* system_document() const { return documents_.system; }
  /// Returns the named stack, after the stacks that it extends; empty without one.
  const std::vector<const Document*>& stack_documents() const { return documents_.stacks; }
  /// Returns the rule documents that stacks, execution, space and request list.
  const std::vector<const Document*>& rule_documents() const { return rules_; }
  /// Returns the conditions under which these documents are used, in their order; null without a condition.
  const std::vector<ExprPtr>& rule_conditions() const { return rule_conditions_; }
  const std::vector<const Document*>& documents() const {
    return sources_.documents;
  }  ///< Accountings, operators and the space; each document follows the documents that it uses.

 protected:
  LinkedRun() = default;
  /// Loads and links; `link` calls it for a new object. Returns false, with errors, on failure.
  bool load(const RunRequest& request, Library& library, Diagnostics& diagnostics);

 private:
  /// Replaces systems by copies with the corrections that they name.
  bool correct_systems(Library& library, Diagnostics& diagnostics);
  /// Translates inputs if the accounting has a section `compares`.
  bool take_values(Library& library, Diagnostics& diagnostics);
  /// Chooses the counted graph and loads its model.
  bool load_graph(Library& library, Diagnostics& diagnostics);
  /// Loads the models at words of cases.
  bool load_other_models(Library& library, Diagnostics& diagnostics);
  /// Adds the documents at words of cases to the program.
  void add_case_documents();
  /// Collects the operator documents.
  void load_operators(Library& library, Diagnostics& diagnostics);
  /// Collects the rules of stacks, execution, space and request.
  void load_rules(Library& library, Diagnostics& diagnostics);
  /// Builds the mesh, and sets absent axes aside.
  bool load_mesh(Diagnostics& diagnostics);
  /// Adds the axes and their degrees to the program.
  void add_axes();
  /// Adds the stated values of inputs to the program.
  void add_values(Diagnostics& diagnostics);
  /// Adds the documents that formulas read to the program.
  void add_documents();
  /// Links the program and checks its names and units.
  bool link_program(Diagnostics& diagnostics);
  /// Checks that constant parameters that size dimensions are numbers.
  bool check_parameters(Diagnostics& diagnostics) const;
  /// Returns whether every document came with the program.
  bool all_shipped() const;
  /// Returns the parameters of the run's model; null for closed formulas without a model.
  const std::vector<Definition>* parameters() const;
  /// Returns whether the run has a model if it needs one, and uses the model that it has.
  bool is_needed(Diagnostics& diagnostics) const;

  Library* library_ = nullptr;
  const RunExtensions* extensions_ = nullptr;
  RunRequest original_, request_;           ///< The request as received; the request with translated inputs and without a stack.
  std::set<std::string> translated_names_;  ///< See `TranslatedInputs::names`.
  RunDocuments documents_;
  std::vector<const Document*> rules_;  ///< Loaded rule documents; those of several lists repeat.
  std::vector<ExprPtr> rule_conditions_;
  std::list<Document> corrected_;  ///< Systems with corrections by measurements.
  Sources sources_;                ///< Input of linking.
  CountedGraph counted_;
  std::vector<NamedDocument> named_;                           ///< Documents at words of cases.
  std::list<std::pair<const Document*, Model>> other_models_;  ///< Models at words of cases: Program::models from index 1.
  std::optional<MeshSpec> mesh_;
  std::vector<Datum::Entry> absent_axes_;  ///< Axes of the accounting whose degree nothing sets; one rank each.
  std::optional<Program> program_;
};

}  // namespace opledger
