#pragma once
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "expr/guarded_program.h"
#include "formulas/evaluate/evaluator.h"

/// The functions of an accounting that give the chunks of a pipeline and their layers (pipeline.h), recorded on tapes.
/// Layouts of many candidates call such a function for every slot of a stage, or for every chunk; a recording evaluates
/// all calls at once. It serves every candidate that passes its guards, that is, takes the same branches.
namespace opledger {

/// All recordings so far, by function. They are shared by the candidates of a sweep.
class ChunkTapes {
 public:
  using Arguments = std::array<long long, 3>;                  ///< The three whole numbers of one call.
  using Inputs = std::vector<std::pair<const Name*, double>>;  ///< Inputs of a candidate and their values in base units.

  /// Returns the value of `function` for each of `all`, in this order; values are whole numbers of at most 10^9 in
  /// magnitude. `candidate` is an evaluator of numbers with the input values `inputs`. Inputs that results or guards of
  /// a tried recording need are added to `read`, also on failure. Returns nothing if a result is no such number, if the
  /// function can't be recorded, or if it needs too many recordings. The caller then evaluates the function directly.
  std::optional<std::vector<long long>> call(const Function& function, const std::vector<Arguments>& all, Evaluator& candidate, const Inputs& inputs,
                                             std::vector<const Name*>& read);

 private:
  /// One recording: a compiled program with guards, whose inputs are the three arguments and then `inputs`.
  struct RecordedSearch {
    GuardedProgram program;
    std::vector<const Name*> inputs;    ///< Inputs of the tape that follow the arguments.
    std::vector<const Name*> deciding;  ///< The subset of `inputs` that the result or a guard needs.
  };

  /// Records the function for the arguments `sample`; nothing if the function can't be recorded.
  static std::optional<RecordedSearch> record(const Function& function, const Arguments& sample, Evaluator& candidate, const Inputs& inputs);
  /// Fills the empty entries of `out` that the recording covers. Returns false if a result is no whole number of at
  /// most 10^9 in magnitude.
  static bool run(const RecordedSearch& recorded, const std::vector<Arguments>& all, Evaluator& candidate, const Inputs& inputs,
                  std::vector<std::optional<long long>>& out);

  std::map<const Function*, std::vector<RecordedSearch>> known_;  ///< Recordings of each function, in the order of recording.
};

}  // namespace opledger
