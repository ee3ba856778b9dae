#pragma once
#include <string_view>
#include <vector>

#include "accounting/graph_engine.h"
#include "formulas/read/program_sources.h"
#include "graph/mesh.h"
#include "rules/rule_set.h"
#include "schemas/library.h"

/// The mapping from documents to the names and values of a program. A run performs all steps (linked_run.h). Other
/// callers perform some, for example an accounting alone, with an execution, or with a system. Use: `add_accounting`
/// first, then other documents in increasing precedence; `program` is then ready for `link_program`.
namespace opledger {

class Program;

/// The inputs of linking. `program` points into the other members, so the object can't be copied or moved.
struct Sources {
  Sources() = default;
  Sources(const Sources&) = delete;
  Sources& operator=(const Sources&) = delete;

  std::vector<const Document*> documents;  ///< Accounting, its dependencies and further operators; each follows the documents that it uses.
  OperatorLibrary operators;               ///< Operators of the operator documents.
  RuleSet rules;                           ///< Rules of the run.
  ProgramSources program{graph_engine()};  ///< Input of linking.

  /// Adds the accounting, its dependencies and its default axes. Returns false, with errors, if a document can't be
  /// read.
  bool add_accounting(const Document& accounting, Library& library, Diagnostics& diagnostics);
  /// Adds operator documents that are not there yet; documents of other kinds are skipped.
  void add_operators(const std::vector<const Document*>& some, Diagnostics& diagnostics);
  /// Adds the axes of an execution's mesh, which replace axes of the accounting with the same name. Returns false, with
  /// errors, if the mesh is malformed.
  bool add_mesh(const Datum& mesh, Diagnostics& diagnostics);
  /// Adds the axes of a mesh that is parsed already.
  void add_mesh(const MeshSpec& mesh);
  /// Adds the options that rule documents declare (`load_rules`).
  void add_options(const std::vector<const Document*>& of_rules);
  /// Adds the values that a stack states for inputs. An execution that is added later takes precedence.
  void add_stack(const Document& stack);
  /// Adds the values that an execution states. `assumed`: some values may be meant for a model that the run lacks, so
  /// unknown names are no error.
  void add_execution(const Document& execution, bool assumed);
  /// Adds the values that an execution states under `for` for this accounting.
  void add_own_fields(const Document& execution, bool assumed);
  /// Adds the fields of a system that the accounting reads, as the record `system`.
  void add_system(const Document& system);
  /// Adds settings of the command line (`--set`), as pairs of key and value. Structural keys such as `mesh` are errors.
  void add_overrides(const std::vector<std::pair<std::string, std::string>>& overrides, Diagnostics& diagnostics);
};

/// Loads the rule documents that a document lists, by name or as `{NAME: CONDITION}`, and adds their rules in order.
/// Rules of a stack may match nothing without a warning. Returns the loaded documents; unreadable ones are reported and
/// skipped.
std::vector<const Document*> load_rules(const Document& naming, Library& library, RuleSet& rules, Diagnostics& diagnostics);
/// Loads a list of rule documents. `made_for`: path of the document of a list that the program made (Library::load).
/// `quiet`: rules may match nothing without a warning. `conditions` receives the condition of each returned document, null
/// without one.
std::vector<const Document*> load_rules(const Datum& list, const std::filesystem::path& made_for, Library& library, RuleSet& rules, Diagnostics& diagnostics,
                                        bool quiet = false, std::vector<ExprPtr>* conditions = nullptr);

/// Returns the list of rules that settings state in place of the execution's (`--set 'rules=[megatron, zero_1]'`): the last
/// one, nothing without one.
std::optional<Datum> rules_in(const std::vector<std::pair<std::string, std::string>>& overrides);

/// Returns the name of the document that a list of rules names, by name or by path.
std::string name_of_rules(const Datum& written);

/// Returns whether some formula or table iterates over elements of a graph, so that a run needs a model with operators.
bool needs_graph(const Program& program);

}  // namespace opledger
