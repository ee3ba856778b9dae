#pragma once
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "expr/guarded_program.h"
#include "formulas/evaluate/evaluator.h"

/// The accounting's functions of a pipeline's pieces, recorded on tapes: once for all candidates, and run for all stages and slots of one at a time.
namespace opledger {

class PieceTapes {
 public:
  using Arguments = std::array<long long, 3>;
  using Inputs = std::vector<std::pair<const Name*, double>>;

  /// Whole numbers, one for each of `all`. `candidate`: an evaluator of numbers, `inputs` are its own. Inputs that decide the result are added to `read`.
  /// Empty: it has to be asked, since something is wrong or can't be recorded.
  std::optional<std::vector<long long>> call(const Function& function, const std::vector<Arguments>& all, Evaluator& candidate, const Inputs& inputs,
                                             std::vector<const Name*>& read);

 private:
  struct Recorded {
    GuardedProgram program;
    std::vector<const Name*> inputs;    ///< Of the tape, behind the arguments.
    std::vector<const Name*> deciding;  ///< Those of them that the result or a guard needs.
  };

  static std::optional<Recorded> record(const Function& function, const Arguments& sample, Evaluator& candidate, const Inputs& inputs);
  static bool run(const Recorded& recorded, const std::vector<Arguments>& all, Evaluator& candidate, const Inputs& inputs,
                  std::vector<std::optional<long long>>& out);

  std::map<const Function*, std::vector<Recorded>> known_;
};

}  // namespace opledger
