#pragma once
#include <memory>
#include <set>
#include <vector>

#include "run/compiled_program.h"
#include "search/space/free_axes.h"
#include "search/space/space.h"

/// A check for duplicates: two candidates that are the same run under two names. An example is recomputation that finds
/// nothing to recompute. Duplicates agree in all numeric inputs (degrees, sizes), the order of the mesh, the documents
/// that inputs choose, the annotated graph, and, bit for bit, every published metric but the measure of simplicity. If no
/// formula reads the inputs that differ, equal graphs suffice.
namespace opledger {

/// Returns whether two values have the same kind and the same bits or text.
bool same_value(const Value& a, const Value& b);

/// A checker for one space. It keeps evaluated candidates, because the evaluation of all metrics is slow.
class DuplicateChecker {
 public:
  explicit DuplicateChecker(Space& space);

  /// Returns whether two candidates are duplicates; false if one can't be evaluated. Arguments: values of the free axes.
  bool are_duplicates(const std::vector<double>& a, const std::vector<double>& b);

 private:
  /// A candidate with all published metrics.
  struct EvaluatedCandidate {
    std::vector<double> candidate;          ///< Values of the free axes.
    const AnnotatedGraph* graph = nullptr;  ///< Graph of the run, owned by `shared_`; null without a model.
    std::vector<Value> values;              ///< Published metrics in the order of the program.
  };

  /// Returns a candidate with its metrics, evaluated once; null if the evaluation fails.
  const EvaluatedCandidate* evaluated(const std::vector<double>& candidate);
  /// Returns whether different values of an input always mean different runs, as for numbers.
  bool distinguishes(const Name& input) const;
  /// Returns whether equal graphs prove two candidates to be duplicates, without an evaluation of metrics.
  bool have_same_graphs(const std::vector<double>& a, const std::vector<double>& b);
  /// Returns whether a formula of the program or of the graph reads an input in which the candidates differ.
  bool reads_difference(const AnnotatedGraph* graph, const std::vector<double>& a, const std::vector<double>& b) const;

  Space& space_;
  std::vector<bool> distinguishes_;  ///< Result of `distinguishes` for the input of each free axis.
  const Query query_;                ///< Query for every published metric.
  CompiledProgram::Shared shared_;   ///< Graphs and tapes that evaluations share.
  std::vector<const Name*> inputs_;  ///< Inputs of the free axes.
  std::set<const Name*> mentioned_;  ///< Inputs that formulas of the run read.
  std::vector<std::unique_ptr<EvaluatedCandidate>> evaluated_;
};

}  // namespace opledger
