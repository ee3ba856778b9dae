#pragma once
#include <map>
#include <memory>
#include <string>

#include "formulas/evaluate/evaluator.h"
#include "run/linked_run.h"

/// Inputs of an accounting whose values come from a simulation. The simulation runs once, when a formula first reads
/// one of the inputs. A simulation derives a class from SimulatedInputs; `provide_inputs` then binds its results to
/// inputs.
namespace opledger {

/// The results of one simulation by name, such as `step`, computed on demand.
class SimulatedInputs {
 public:
  virtual ~SimulatedInputs() = default;
  /// Returns a result; the first call runs the simulation with this evaluator. The answer is an error if the simulation
  /// failed, has no such result, or if a search evaluates many candidates at once.
  Answer of(const std::string& result, Evaluator& evaluator);

 protected:
  /// Fills in `values_`, or reports in `messages` why the simulation is impossible. Called at most once.
  virtual void simulate(Evaluator& evaluator, Diagnostics& messages) = 0;
  /// Returns whether formulas may take a result as absent after a failed simulation, instead of failing.
  virtual bool is_absent(const std::string&) const { return false; }

  std::map<std::string, Value> values_;  ///< Results by name.

 private:
  bool has_run_ = false;                     ///< True once a result was requested.
  std::shared_ptr<const Diagnostic> error_;  ///< The first message of a failed simulation; null if it succeeded or has not run.
};

/// Binds the inputs named in `gives` (a mapping of result name to input name) to the results; the evaluator shares
/// ownership of `results`. Names that are no inputs of the run are skipped. A formula that reads an input which a
/// document also sets gets an error: the input follows from `follows_from`, such as "the simulated step".
void provide_inputs(const Datum& gives, const std::shared_ptr<SimulatedInputs>& results, const char* follows_from, Evaluator& evaluator, const LinkedRun& run);

}  // namespace opledger
