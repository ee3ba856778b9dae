#pragma once
#include <string_view>
#include <vector>

#include "accounting/graph_engine.h"
#include "formulas/read/program_sources.h"
#include "graph/mesh.h"
#include "rules/rule_set.h"
#include "schemas/library.h"

/// The recipe from documents to a program: which document gives it which names and values. A run takes all steps (run/linked.h), who has less takes some of them: an accounting
/// alone, with an execution, with a system.
namespace opledger {

class Program;

/// `program` points to the rest: it stays where it was made.
struct Sources {
  Sources() = default;
  Sources(const Sources&) = delete;
  Sources& operator=(const Sources&) = delete;

  std::vector<const Document*> documents;  ///< The accounting, what it needs and further operators, each after those it uses.
  OperatorLibrary operators;
  RuleSet rules;
  ProgramSources program{graph_engine()};

  /// The accounting and all that it needs, and the axes that it has by itself. False, with errors, if something can't be read.
  bool add_accounting(const Document& accounting, Library& library, Diagnostics& diagnostics);
  void add_operators(const std::vector<const Document*>& some, Diagnostics& diagnostics);
  /// Axes of an execution's mesh; they stand in for those of the accounting. False, with errors, if it is no mesh.
  bool add_mesh(const Datum& mesh, Diagnostics& diagnostics);
  void add_mesh(const MeshSpec& mesh);
  /// The options of rule documents, see `load_rules`.
  void add_options(const std::vector<const Document*>& of_rules);
  /// What a stack says of inputs that its accounting has; an execution that is added later has precedence.
  void add_stack(const Document& stack);
  /// What an execution says of inputs. `assumed`: some of it may be meant for a model that nobody named.
  void add_execution(const Document& execution, bool assumed);
  /// What it says for this accounting alone.
  void add_own_fields(const Document& execution, bool assumed);
  void add_system(const Document& system);
  /// `--set`.
  void add_overrides(const std::vector<std::pair<std::string, std::string>>& overrides, Diagnostics& diagnostics);
};

/// The rule documents that a document lists, each by its name or as `{NAME: CONDITION}`, in order: their rules are added; those of a stack find what they find. Documents
/// that can't be read are left out, with errors.
std::vector<const Document*> load_rules(const Document& naming, Library& library, RuleSet& rules, Diagnostics& diagnostics);
/// The same of such a list; `from`: the document that it stands in, empty: none.
std::vector<const Document*> load_rules(const Datum& list, const std::filesystem::path& from, Library& library, RuleSet& rules, Diagnostics& diagnostics,
                                        bool quiet = false);

/// Whether some formula or table visits elements, which only a graph has.
bool needs_graph(const Program& program);

/// Of a value on the command line.
Span place_of_setting(const std::string& key, const std::string& value);

}  // namespace opledger
