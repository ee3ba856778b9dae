#pragma once
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "accounting/evaluator.h"
#include "accounting/reader.h"
#include "base/diagnostics.h"
#include "run/annotated.h"
#include "schemas/library.h"

/// One run: documents loaded, the graph built and annotated, the accounting linked, ready to be asked for metrics.
namespace opledger {

/// What is assumed when no execution is named; its accounting serves every execution that names none.
inline constexpr const char* kDefaultExecution = "single";

struct RunRequest {
  std::string model;  ///< Name or path; may be empty for accountings that count no graph or bring their own.
  std::string execution = kDefaultExecution;
  std::string system;  ///< May be empty: what needs no machine can be asked for.
  /// Several, of which the input `system` chooses one, by name; else none.
  std::vector<std::pair<std::string, const Document*>> systems;
  std::string accounting;                                      ///< Empty: see `accounting_of`.
  std::vector<std::pair<std::string, std::string>> overrides;  ///< `--set key=value`
  std::vector<Given> fields;                                   ///< The same, with places of their own: cells of a table.
  std::optional<Datum> rules;                                  ///< What stands in place of the execution's list of rules.
  std::string space;                                           ///< A document of kind `search`: its accounting, rules and inputs are the run's.
  std::optional<std::vector<Given>> taken;                     ///< Values from another run, see restated.h: they stand in place of an execution's.
  std::vector<std::pair<std::string, Span>> open;  ///< What gets values later, see `Question`: inputs, parameters of the model, fields of the system.
};

/// The accounting that an execution names, else that of the default execution. Null, with an error, if it can't be loaded.
const Document* accounting_of(const Document& execution, Library& library, Diagnostics& diagnostics);

/// A constraint of the accounting that does not hold.
struct Violation {
  std::string message, reason;
  Span span;
  Span at = {};  ///< Where a document has what it is about; unknown: nowhere in particular.
};

class Run {
 public:
  /// Documents loaded and linked, without a graph, so that nothing needs a value yet. Null, with errors, if something is wrong.
  static std::unique_ptr<Run> link(const RunRequest& request, Library& library, Diagnostics& diagnostics);
  /// The same with its graph. Warnings (rules that match nothing, …) may be reported in any case.
  static std::unique_ptr<Run> prepare(const RunRequest& request, Library& library, Diagnostics& diagnostics);

  const RunRequest& request() const { return original_; }
  bool has_graph() const { return annotated_ != nullptr; }  ///< Not for an accounting of closed formulas.
  bool has_model() const { return model_.has_value(); }     ///< Whether a graph can be built.
  const Graph& graph() const { return annotated_->graph; }
  const Annotations& annotations() const { return annotated_->annotations; }
  const Program& program() const { return *program_; }
  Evaluator& evaluator() { return *evaluator_; }
  const GraphRun& graph_run() const { return annotated_->run; }
  GraphSources graph_sources() const;  ///< To build the graph again, for other values of its inputs.
  Program& program() { return *program_; }
  const std::string& accounting() const { return accounting_; }
  bool model_gives_values() const { return model_gives_values_; }  ///< And no graph: the accounting brings one, or counts none.
  /// Whether a value of this name is the model's, or of the run that inputs were taken from (see asking.h): other inputs may follow from it.
  bool is_taken_from(const std::string& name) const { return asked_of_.count(name) != 0; }
  const std::string& execution_name() const;                          ///< Empty: none was named, and the accounting has no use for one.
  const Document* model_document() const { return model_document_; }  ///< Null: none was named.
  const Document* space_document() const { return space_; }           ///< Null: the run is of no search.
  const Document* execution_document() const { return execution_; }
  const Document* accounting_document() const { return counting_; }
  const Document* system_document() const { return system_; }                   ///< Null: none was named.
  const std::vector<const Document*>& documents() const { return documents_; }  ///< Accountings and operators, each after those it uses.
  bool has_system() const { return !request_.system.empty(); }

  /// A metric or any other global name at no particular point; empty, with an error, if it can't be evaluated.
  std::optional<Value> value(const std::string& name, Diagnostics& diagnostics);

  /// All constraints that fail, in their order. Constraints that need a system are skipped without one.
  std::vector<Violation> violations(Diagnostics& diagnostics);

 private:
  Run() = default;
  bool load(Library& library, Diagnostics& diagnostics);
  const Datum* declared(const char* role) const;
  bool check_roles(Diagnostics& diagnostics);
  bool take_documents(Library& library, Diagnostics& diagnostics);
  bool load_graph(Library& library, Diagnostics& diagnostics);
  void load_operators(Library& library, Diagnostics& diagnostics);
  void load_rules(Library& library, Diagnostics& diagnostics);
  bool load_mesh(Diagnostics& diagnostics);
  Datum published_numbers() const;
  void add_execution(std::vector<Given>& out) const;
  bool load_accounting(Library& library, Diagnostics& diagnostics);
  bool link_documents(Diagnostics& diagnostics);
  bool reads_model() const;
  bool annotate(Diagnostics& diagnostics);
  bool skips();
  Span place(const Formula* field, const Point& point);
  void check(const std::vector<Constraint>& constraints, const Point& point, std::vector<Violation>& out);

  RunRequest original_, request_;  ///< As it was asked for; and with values that were taken from the model or its run.
  std::set<std::string> asked_of_;
  std::string accounting_;
  const Document* model_document_ = nullptr;
  const Document* execution_ = nullptr;
  const Document* counting_ = nullptr;
  const Document* space_ = nullptr;
  const Document* system_ = nullptr;
  std::vector<const Document*> documents_, rules_;
  OperatorLibrary operators_;
  std::optional<Model> model_;
  bool model_gives_values_ = false;     ///< The graph is the accounting's, or there is none.
  std::vector<Definition> parameters_;  ///< Of the model, then.
  std::optional<MeshSpec> mesh_;
  std::vector<Datum::Entry> absent_axes_;  ///< One rank each.
  RuleSet rule_set_;
  std::optional<Program> program_;
  std::optional<Evaluator> evaluator_;
  std::unique_ptr<AnnotatedGraph> annotated_;
  Diagnostics* diagnostics_ = nullptr;
};

}  // namespace opledger
