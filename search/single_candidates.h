#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "search/sweep/sweep_result.h"
#include "search/sweep/trace_cache.h"

/// Evaluation of single candidates after a sweep. The traces of the sweep are reused if they have all requested
/// outputs; else candidates are traced again.
namespace opledger {

/// An evaluator of single candidates for a fixed list of metrics.
class SingleCandidates {
 public:
  /// `names`: published metrics, or global names that depend on no set. `swept`: result of a sweep of `space`, with its
  /// traces. Space and result must outlive the object.
  SingleCandidates(Space& space, std::vector<std::string> names, const SweepResult& swept);

  /// Returns the values of all names in order, and the reason of refusal if a check fails. `values`: one per axis. Returns
  /// nothing, with errors, if the candidate can't be evaluated; traces of the sweep refuse such a candidate instead.
  std::optional<CompiledProgram::Result> evaluate(const std::vector<double>& values, Diagnostics& diagnostics);

 private:
  /// Evaluates a candidate with a trace of the sweep, compiled at its first use.
  CompiledProgram::Result evaluate_swept(const std::vector<double>& values);

  FreeAxes free_;                                            ///< The free axes, which are the inputs of programs.
  const SweepResult& swept_;                                 ///< The sweep, with its traces.
  std::vector<std::size_t> output_positions_;                ///< Positions of the names among the outputs of the sweep; empty if the sweep lacks one.
  std::map<const GuardedTrace*, CompiledProgram> compiled_;  ///< Programs compiled from traces of the sweep.
  ProgramCache programs_;                                    ///< Programs traced anew, if the sweep lacks one of the outputs.
};

}  // namespace opledger
