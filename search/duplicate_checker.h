#pragma once
#include <memory>
#include <set>
#include <vector>

#include "run/structure.h"
#include "search/space/free_axes.h"
#include "search/space/space.h"

/// Whether two candidates are one run under two names: recomputation that finds nothing to recompute, a choice that nothing asks about. They are if nothing that
/// is known of a run tells them apart: numbers that it is given (degrees, sizes), the order of the mesh, the machine, the annotated graph, and every published
/// metric, to the bit. Where no formula mentions what they differ in, it is enough that their graphs are the same.
namespace opledger {

/// To the bit.
bool same_value(const Value& a, const Value& b);

class DuplicateChecker {
 public:
  explicit DuplicateChecker(Space& space);

  /// Two candidates, as values of the free axes. False too if one can't be evaluated.
  bool are_duplicates(const std::vector<double>& a, const std::vector<double>& b);

 private:
  /// Kept: all metrics take time.
  struct EvaluatedCandidate {
    std::vector<double> candidate;
    const AnnotatedGraph* graph = nullptr;
    std::vector<Value> values;
  };

  const EvaluatedCandidate* evaluated(const std::vector<double>& candidate);
  bool distinguishes(const Name& input) const;
  bool have_same_graphs(const std::vector<double>& a, const std::vector<double>& b);
  bool mentioned(const AnnotatedGraph* graph, const std::vector<double>& a, const std::vector<double>& b) const;

  Space& space_;
  std::vector<bool> distinguishes_;  ///< By free axis: other values of it are other runs whatever they cost.
  const Question query_;
  Structure::Shared shared_;
  std::vector<const Name*> inputs_;  ///< By free axis.
  std::set<const Name*> mentioned_;  ///< Inputs that formulas of the run read.
  std::vector<std::unique_ptr<EvaluatedCandidate>> evaluated_;
};

}  // namespace opledger
