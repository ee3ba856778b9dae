#include "play/simulated_inputs.h"

#include <fmt/core.h>

namespace opledger {

Answer SimulatedInputs::of(const std::string& what, Evaluator& evaluator) {
  if (!asked_) {
    asked_ = true;
    Diagnostics messages;
    if (evaluator.candidates() != nullptr)
      messages.error({}, "a search counts all candidates by formulas and does not play them");
    else
      simulate(evaluator, messages);
    if (messages.has_errors()) error_ = std::make_shared<Diagnostic>(messages.all().front());
  }
  if (error_ != nullptr) return {{}, error_, is_absent(what)};
  const auto found = values_.find(what);
  return found != values_.end() ? Answer{found->second}
                                : Answer{{}, std::make_shared<Diagnostic>(Diagnostic{Severity::error, {}, "nothing is played as `" + what + "`", {}})};
}

void provide_inputs(const Datum& gives, const std::shared_ptr<SimulatedInputs>& results, const char* follows_from, Evaluator& evaluator, const Linked& run) {
  for (const auto& [what, input] : gives.entries()) {
    const Name* name = run.program().find_input(input.text());
    if (name == nullptr) continue;
    evaluator.provide(*name, [name, results, follows_from, what = what.text()](Evaluator& e) {
      if (name->defs.empty()) return results->of(what, e);
      return Answer{{},
                    std::make_shared<Diagnostic>(
                        Diagnostic{Severity::error, name->span(), fmt::format("`{}` follows from {}: it can't be given", name->name, follows_from), {}})};
    });
  }
}

}  // namespace opledger
