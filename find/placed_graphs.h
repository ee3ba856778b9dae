#pragma once
#include <memory>
#include <optional>
#include <string>

#include "rules/tensor_derivation.h"
#include "run/annotated_graph.h"
#include "run/linked_run.h"

/// One run whose graph is placed by many rule sets.
namespace opledger {

/// Documents that are linked once, and a graph that is built once. A trial of another rule set then costs the passes of
/// the rules and the formulas that are asked.
class PlacedGraphs {
 public:
  /// Links a run that counts a graph. Null, with errors, if that fails or the run has no graph.
  static std::unique_ptr<PlacedGraphs> prepare(const RunRequest& request, Library& library, Diagnostics& diagnostics);

  /// An evaluator filled with annotations of the graph.
  struct Placed {
    Annotations annotations;
    Formulas formulas;  ///< Formulas of the annotations.
    GraphRun run;
    Evaluator evaluator;
  };

  const LinkedRun& run() const { return *run_; }
  const Graph& graph() const { return builder_->graph(); }
  const Mesh& mesh() const { return builder_->mesh(); }
  const RuleSet& rules() const { return *run_->graph_sources().rules; }  ///< Rules of the run itself, with their conditions.

  /// Returns whether a condition of a rule holds in the run.
  bool holds(const Datum& condition);
  /// Annotates the graph by other rules; empty, with the reason, if the rules can't be applied.
  std::optional<Annotations> annotate(const RuleSet& rules, std::string& reason);
  /// Fills an evaluator; null, with the reason, if the run is impossible.
  std::unique_ptr<Placed> evaluate(Annotations annotations, std::string& reason);
  /// Begins derivations tensor by tensor, with the rules of the run itself.
  std::unique_ptr<TensorDerivation> derive_tensors(Diagnostics& diagnostics);

 private:
  PlacedGraphs() = default;
  /// Returns the first error, and forgets all messages.
  std::string take_reason();

  std::unique_ptr<LinkedRun> run_;
  Diagnostics messages_;               ///< Messages of the current step.
  std::optional<Evaluator> deciding_;  ///< Decides conditions and divisions while the graph is built and placed.
  std::unique_ptr<GraphBuilder> builder_;
};

/// Returns the value of a published metric; empty without one.
std::optional<Value> metric_of(PlacedGraphs::Placed& placed, const LinkedRun& run, const std::string& name);

}  // namespace opledger
