#pragma once
#include <map>
#include <memory>
#include <string>

#include "formulas/evaluate/evaluator.h"
#include "run/linked_run.h"

/// Inputs of an accounting whose values come from a simulation. The simulation runs once, when a formula first reads
/// one of the inputs.
namespace opledger {

/// The values of one simulation, by result name.
class SimulatedInputs {
 public:
  virtual ~SimulatedInputs() = default;
  /// Returns a result, running the simulation first if necessary; an error if the simulation fails or has no such
  /// result.
  Answer of(const std::string& result, Evaluator& evaluator);

 protected:
  /// Fills in `values_`, or reports why the simulation is impossible.
  virtual void simulate(Evaluator& evaluator, Diagnostics& messages) = 0;
  /// Returns whether a result counts as absent, rather than as an error, after a failed simulation.
  virtual bool is_absent(const std::string&) const { return false; }

  std::map<std::string, Value> values_;

 private:
  bool has_run_ = false;
  std::shared_ptr<const Diagnostic> error_;
};

/// Binds the inputs named in `gives` (result name: input name) to the results. A document that also sets such an
/// input gets an error which says that the input follows from `follows_from`.
void provide_inputs(const Datum& gives, const std::shared_ptr<SimulatedInputs>& results, const char* follows_from, Evaluator& evaluator, const LinkedRun& run);

}  // namespace opledger
