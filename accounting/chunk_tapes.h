#pragma once
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "expr/guarded_program.h"
#include "formulas/evaluate/evaluator.h"

/// The accounting's functions of pipeline chunks, recorded on tapes. A recording serves every candidate that passes its
/// guards. One run evaluates all stages and slots of a candidate at once.
namespace opledger {

class ChunkTapes {
 public:
  using Arguments = std::array<long long, 3>;
  using Inputs = std::vector<std::pair<const Name*, double>>;

  /// Evaluates a function for each of `all`; the results are whole numbers. `candidate` is an evaluator of numbers with
  /// the input values `inputs`. Inputs that decide a result are added to `read`. Returns nothing if a result is wrong
  /// or the function can't be recorded; the caller then evaluates the function directly.
  std::optional<std::vector<long long>> call(const Function& function, const std::vector<Arguments>& all, Evaluator& candidate, const Inputs& inputs,
                                             std::vector<const Name*>& read);

 private:
  struct RecordedSearch {
    GuardedProgram program;
    std::vector<const Name*> inputs;    ///< Inputs of the tape that follow the arguments.
    std::vector<const Name*> deciding;  ///< The subset of `inputs` that the result or a guard needs.
  };

  static std::optional<RecordedSearch> record(const Function& function, const Arguments& sample, Evaluator& candidate, const Inputs& inputs);
  static bool run(const RecordedSearch& recorded, const std::vector<Arguments>& all, Evaluator& candidate, const Inputs& inputs,
                  std::vector<std::optional<long long>>& out);

  std::map<const Function*, std::vector<RecordedSearch>> known_;
};

}  // namespace opledger
