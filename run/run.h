#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formulas/evaluate/evaluator.h"
#include "run/case_graphs.h"
#include "run/linked.h"
#include "run/solved_input.h"

/// One run: documents linked, the graph built and annotated, ready to be asked for metrics.
namespace opledger {

/// A constraint of the accounting that does not hold.
struct Violation {
  std::string message, reason;
  Span span;
  Span at = {};  ///< Where a document has what it is about; unknown: nowhere in particular.
};

class Run : public Linked {
 public:
  /// Null, with errors, if something is wrong. Warnings (rules that match nothing, …) may be reported in any case.
  static std::unique_ptr<Run> prepare(const RunRequest& request, Library& library, Diagnostics& diagnostics);

  /// An input whose value was found, see solved_input.h: a run with other inputs may have another one.
  const std::optional<SolvedInput>& solved() const { return solved_; }

  bool has_graph() const { return annotated_ != nullptr; }  ///< Not for an accounting of closed formulas.
  const Graph& graph() const { return annotated_->graph; }
  const Annotations& annotations() const { return annotated_->annotations; }
  const GraphRun& graph_run() const { return annotated_->run; }
  /// The annotated graph at words of cases, and who answers questions about it.
  struct GraphThere {
    const AnnotatedGraph* graph = nullptr;
    Evaluator* evaluator = nullptr;
    Point point = nowhere();  ///< As it is there.
  };
  /// At words of cases, `decode`; of sets of which none is named, at the first one. Empty, with errors, if there is none.
  std::optional<GraphThere> graph_at(const std::vector<std::string>& words, Diagnostics& diagnostics);
  /// The program's, and those of the graph over it.
  std::vector<const Formulas*> formulas() const;
  Evaluator& evaluator() { return *evaluator_; }

  /// A metric or any other global name at no particular point; empty, with an error, if it can't be evaluated.
  std::optional<Value> value(const std::string& name, Diagnostics& diagnostics);

  /// All constraints that fail, in their order. Constraints that need a system are skipped without one.
  std::vector<Violation> violations(Diagnostics& diagnostics);

 private:
  Run() = default;

  static std::unique_ptr<Run> solve(const Run& run, SolvedInput solved, Library& library, Diagnostics& diagnostics);

  std::optional<SolvedInput> solved_;
  AnnotatedGraphs graphs_;
  const AnnotatedGraph* annotated_ = nullptr;  ///< Of them its own; others are of other words of the accounting's cases.
  std::optional<Evaluator> evaluator_;
};

}  // namespace opledger
