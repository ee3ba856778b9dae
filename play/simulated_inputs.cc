#include "play/simulated_inputs.h"

#include <fmt/core.h>

namespace opledger {

Answer SimulatedInputs::of(const std::string& result, Evaluator& evaluator) {
  // Lazy evaluation with a memory: the first call runs the simulation and keeps its values, or its first error for all
  // later calls. A search evaluates formulas on symbols for many candidates at once, which a simulation can't do, so a
  // search gets an error. `is_absent` marks results whose absence is no error for formulas.
  if (!has_run_) {
    has_run_ = true;
    Diagnostics messages;
    if (evaluator.candidates() != nullptr)
      messages.error({}, "a search evaluates candidates by formulas and doesn't simulate them");
    else
      simulate(evaluator, messages);
    if (messages.has_errors()) error_ = std::make_shared<Diagnostic>(messages.all().front());
  }
  if (error_ != nullptr) return {{}, error_, is_absent(result)};
  const auto found = values_.find(result);
  return found != values_.end()
             ? Answer{found->second}
             : Answer{{}, std::make_shared<Diagnostic>(Diagnostic{Severity::error, {}, "the simulation has no result `" + result + "`", {}})};
}

void provide_inputs(const Datum& gives, const std::shared_ptr<SimulatedInputs>& results, const char* follows_from, Evaluator& evaluator, const LinkedRun& run) {
  for (const auto& [result, input] : gives.entries()) {
    const Name* name = run.program().find_input(input.text());
    if (name == nullptr) continue;
    evaluator.provide(*name, [name, results, follows_from, result = result.text()](Evaluator& e) {
      if (name->defs.empty()) return results->of(result, e);
      return Answer{{},
                    std::make_shared<Diagnostic>(
                        Diagnostic{Severity::error, name->span(), fmt::format("`{}` follows from {}: remove this value", name->name, follows_from), {}})};
    });
  }
}

}  // namespace opledger
