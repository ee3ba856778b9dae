#include "find/trial.h"

#include <iterator>

namespace opledger {

std::pair<int, double> Trial::rank() const {
  const auto number_or_zero = [](const Value& value) { return value.is_number() ? value.scalar.value : 0; };
  if (fits()) return {0, number_or_zero(step)};
  return {state == FitPoint::State::too_large ? 1 : 2, number_or_zero(memory)};
}

bool Trial::is_better(const Trial& than) const {
  const auto [kind, value] = rank();
  const auto [other_kind, other] = than.rank();
  return kind != other_kind ? kind < other_kind : value < other * (1 - 1e-12);
}

void Trial::judge(double budget) {
  if (!step.is_number() || !memory.is_number()) state = FitPoint::State::impossible;
  if (state == FitPoint::State::impossible) return;
  state = memory.scalar.value <= budget ? FitPoint::State::fits : FitPoint::State::too_large;
  reason.clear();  // Memory and budget stand side by side in the answer.
}

Value Trial::gain_over(const Trial& other) const {
  if (!step.is_number() || !other.step.is_number() || step.scalar.value <= 0) return {};
  return number_value(real(other.step.scalar.value / step.scalar.value - 1));
}

bool declares_trials(const Run& run, Diagnostics& diagnostics) {
  return declares(run, {std::begin(kFitRoles), std::end(kFitRoles)}, diagnostics) && declares(run, {"step"}, diagnostics);
}

Trial evaluate_trial(Run* run, Diagnostics& messages) {
  const FitPoint point = evaluate_point(run, messages);
  Trial out{point.state, {}, point.size, point.capacity, point.reasons.empty() ? std::string() : point.reasons.front().message};
  if (run == nullptr) return out;
  Diagnostics ignored;
  if (const std::optional<Value> step = run->value(run->program().find_role(kFitCommand, "step")->name, ignored)) out.step = *step;
  if (!out.step.is_number()) out.state = FitPoint::State::impossible;
  return out;
}

}  // namespace opledger
