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

/// Documents linked into a program: all that can be known of a run before a value is needed. It does not change afterwards.
namespace opledger {

/// What the accounting counts.
struct OwnGraph {
  Model model;  ///< The operators of the run's model.
};
struct BorrowedGraph {
  Model model;                         ///< A graph that the accounting brings …
  std::vector<Definition> parameters;  ///< … and the run's model gives values of its inputs.
};
struct FormulasAlone {
  std::vector<Definition> parameters;
  bool has_model = false;  ///< Which gives values.
};
using CountedGraph = std::variant<FormulasAlone, OwnGraph, BorrowedGraph>;

class Linked {
 public:
  /// Null, with errors, if something is wrong.
  static std::unique_ptr<Linked> link(const RunRequest& request, Library& library, Diagnostics& diagnostics);
  Linked(const Linked&) = delete;
  Linked& operator=(const Linked&) = delete;

  const RunRequest& request() const { return original_; }
  const Program& program() const { return *program_; }
  const std::string& accounting() const { return documents_.accounting_name; }
  const Document* stack_document() const { return documents_.stacks.empty() ? nullptr : documents_.stacks.back(); }  ///< Null: none was named.
  const std::string& stack_name() const;      ///< `none`: none was named; empty: none would say anything.
  const std::string& execution_name() const;  ///< Empty: none was named, and the accounting has no use for one.
  bool has_system() const { return !request_.system.empty(); }
  const Model* model() const;  ///< Whose graph is counted; null: there is none.
  bool has_model() const { return model() != nullptr; }
  /// To build the graph, for some values of its inputs: of the run's model, or of another one that is counted at words of cases, by Program::models.
  GraphSources graph_sources(std::size_t model = 0) const;
  /// Those that words of cases have instead of the run's.
  const std::vector<NamedDocument>& case_documents() const { return named_; }
  std::vector<const Model*> other_models() const;
  /// The graph is the accounting's, or there is none: the run's model gives values of inputs alone.
  bool model_gives_values() const;
  /// Whether a value of this name is the model's, or of the run that inputs were taken from (see `Asked`): other inputs may follow from it.
  bool is_taken_from(const std::string& name) const { return asked_of_.count(name) != 0; }

  const RunExtensions& extensions() const { return *extensions_; }
  Library& library() const { return *library_; }  ///< Where its documents are from.
  const Document* model_document() const { return documents_.model; }
  const Document* space_document() const { return documents_.space; }
  const Document* execution_document() const { return documents_.execution; }
  const Document* accounting_document() const { return documents_.accounting; }
  const Document* system_document() const { return documents_.system; }
  const std::vector<const Document*>& documents() const { return sources_.documents; }  ///< Accountings and operators, each after those it uses.

 protected:
  Linked() = default;
  bool load(const RunRequest& request, Library& library, Diagnostics& diagnostics);

 private:
  bool correct_systems(Library& library, Diagnostics& diagnostics);
  bool take_values(Library& library, Diagnostics& diagnostics);
  bool load_graph(Library& library, Diagnostics& diagnostics);
  bool load_other_models(Library& library, Diagnostics& diagnostics);
  void add_case_documents();
  void load_operators(Library& library, Diagnostics& diagnostics);
  void load_rules(Library& library, Diagnostics& diagnostics);
  bool load_mesh(Diagnostics& diagnostics);
  void add_axes();
  void add_values(Diagnostics& diagnostics);
  void add_documents();
  bool link_program(Diagnostics& diagnostics);
  bool check_parameters(Diagnostics& diagnostics) const;
  bool all_shipped() const;
  const std::vector<Definition>* parameters() const;
  bool is_needed(Diagnostics& diagnostics) const;

  Library* library_ = nullptr;
  const RunExtensions* extensions_ = nullptr;
  RunRequest original_, request_;  ///< As it was asked for; and with values that were taken from the model or its run.
  std::set<std::string> asked_of_;
  RunDocuments documents_;
  std::vector<const Document*> rules_;
  std::list<Document> corrected_;  ///< Systems with what measurements say of them.
  Sources sources_;
  CountedGraph counted_;
  std::vector<NamedDocument> named_;
  std::list<std::pair<const Document*, Model>> other_models_;  ///< Program::models from 1 on.
  std::optional<MeshSpec> mesh_;
  std::vector<Datum::Entry> absent_axes_;  ///< One rank each.
  std::optional<Program> program_;
};

}  // namespace opledger
