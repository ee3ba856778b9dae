#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formulas/evaluate/evaluator.h"
#include "run/case_graphs.h"
#include "run/linked_run.h"
#include "run/solved_input.h"

/// One run: documents linked into a program, the graph built and annotated, and an evaluator that computes metrics.
/// `Run::prepare` does all steps; then `value` and `violations` give results.
namespace opledger {

/// A violated constraint of the accounting.
struct Violation {
  std::string message, reason;  ///< Message with its values; reason under which the violation is counted, by default the message.
  Span span;                    ///< Position of the constraint.
  Span at = {};                 ///< Position of the offending field in a document; unknown if no field is at fault.
};

/// A linked run with its graph and an evaluator. Not copyable; `prepare` creates it.
class Run : public LinkedRun {
 public:
  /// Links the documents, solves the input that follows from constraints, and builds the graph. Returns null, with
  /// errors, if a step fails. Warnings (rules that match nothing, …) may be reported in any case.
  static std::unique_ptr<Run> prepare(const RunRequest& request, Library& library, Diagnostics& diagnostics);

  /// Returns the input whose value was solved (solved_input.h); empty if the run requests no solution.
  const std::optional<SolvedInput>& solved() const { return solved_; }

  bool has_graph() const { return annotated_ != nullptr; }  ///< False for an accounting of closed formulas.
  /// The parts of the run's own graph; only if `has_graph`.
  const Graph& graph() const { return annotated_->graph; }
  const Annotations& annotations() const { return annotated_->annotations; }
  const GraphRun& graph_run() const { return annotated_->run; }
  /// The annotated graph at words of cases, with the evaluator and program point for formulas over it.
  struct CaseGraph {
    const AnnotatedGraph* graph = nullptr;
    Evaluator* evaluator = nullptr;
    Point point = nowhere();  ///< Point to pass to `evaluator`.
  };
  /// Returns the graph at these words of cases, for example `decode`. A set of cases without a word in `words` is taken
  /// at its first word. Empty, with errors, if a word is unknown or its graph can't be built.
  std::optional<CaseGraph> graph_at(const std::vector<std::string>& words, Diagnostics& diagnostics);
  /// Returns the formulas of the program, then the formulas of each graph that was built so far.
  std::vector<const Formulas*> formulas() const;
  Evaluator& evaluator() { return *evaluator_; }  ///< Evaluator with filled sets.

  /// Returns a metric or another global name, evaluated without a current element. Empty, with an error, if evaluation
  /// fails.
  std::optional<Value> value(const std::string& name, Diagnostics& diagnostics);

  /// Returns the violated constraints in the order of the accounting; violations of equal text appear once. Without a
  /// system, constraints that read one are skipped.
  std::vector<Violation> violations(Diagnostics& diagnostics);

  /// Returns the remarks of the accounting that apply to the run, in order.
  std::vector<Violation> remarks(Diagnostics& diagnostics);

 private:
  Run() = default;

  /// Solves the requested input and prepares the run with its value; null, with errors, on failure.
  static std::unique_ptr<Run> solve(const Run& run, SolvedInput solved, Library& library, Diagnostics& diagnostics);

  std::optional<SolvedInput> solved_;
  AnnotatedGraphs graphs_;
  const AnnotatedGraph* annotated_ = nullptr;  ///< Graph of the run itself, owned by `graphs_`; null without a model.
  std::optional<Evaluator> evaluator_;
};

}  // namespace opledger
