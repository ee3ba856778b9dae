#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "accounting/evaluator.h"
#include "accounting/graph_elements.h"
#include "accounting/reader.h"
#include "base/diagnostics.h"
#include "graph/annotations.h"
#include "models/model.h"
#include "rules/rule_set.h"
#include "schemas/library.h"

/// One run: documents loaded, the graph built and annotated, the accounting linked, ready to be asked for metrics.
namespace opledger {

/// What is assumed when no execution is named; its accounting serves every execution that names none.
inline constexpr const char* kDefaultExecution = "single";

struct RunRequest {
  std::string model;  ///< Name or path.
  std::string execution = kDefaultExecution;
  std::string system;                                          ///< May be empty: what needs no machine can be asked for.
  std::string accounting;                                      ///< Empty: see `accounting_of`.
  std::vector<std::pair<std::string, std::string>> overrides;  ///< `--set key=value`
};

/// The accounting that an execution names, else that of the default execution. Null, with an error, if it can't be loaded.
const Document* accounting_of(const Document& execution, Library& library, Diagnostics& diagnostics);

/// A constraint of the accounting that does not hold.
struct Violation {
  std::string message, reason;
  Span span;
};

class Run {
 public:
  /// Null, with errors, if something is wrong. Warnings (rules that match nothing, …) may be reported in any case.
  static std::unique_ptr<Run> prepare(const RunRequest& request, Library& library, Diagnostics& diagnostics);

  const RunRequest& request() const { return request_; }
  const Model& model() const { return *model_; }
  const Graph& graph() const { return *graph_; }
  const Annotations& annotations() const { return *annotations_; }
  const Program& program() const { return *program_; }
  Evaluator& evaluator() { return *evaluator_; }
  const GraphRun& graph_run() const { return *graph_run_; }
  const std::string& accounting() const { return accounting_; }
  bool has_system() const { return !request_.system.empty(); }

  /// A metric or any other global name at no particular point; empty, with an error, if it can't be evaluated.
  std::optional<Value> value(const std::string& name, Diagnostics& diagnostics);

  /// All constraints that fail, in their order. Constraints that need a system are skipped without one.
  std::vector<Violation> violations(Diagnostics& diagnostics);

 private:
  Run() = default;
  bool load(Library& library, Diagnostics& diagnostics);
  bool link(Library& library, Diagnostics& diagnostics);
  bool annotate_graph(Diagnostics& diagnostics);
  bool skips();
  void check(const std::vector<Constraint>& constraints, const Point& point, std::vector<Violation>& out);

  RunRequest request_;
  std::string accounting_;
  const Document* model_document_ = nullptr;
  const Document* execution_ = nullptr;
  const Document* system_ = nullptr;
  std::vector<const Document*> documents_, rules_;
  OperatorLibrary operators_;
  std::optional<Model> model_;
  std::optional<MeshSpec> mesh_;
  std::vector<Datum::Entry> absent_axes_;  ///< One rank each.
  RuleSet rule_set_;
  std::optional<Program> program_;
  std::optional<Evaluator> evaluator_;
  std::optional<Graph> graph_;
  std::optional<Annotations> annotations_;
  std::optional<GraphRun> graph_run_;
  Diagnostics* diagnostics_ = nullptr;
};

}  // namespace opledger
