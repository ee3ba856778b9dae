#include "report/compared_rules.h"

#include <fmt/core.h>

#include <cmath>

#include "base/text.h"

namespace opledger {

ReportTable compared_rules(const ComparedRules& compared, ValueOwners& kept) {
  ReportTable out{"runs", compared.title, {"run", "rules", "step", "gain", "memory", "budget", "reason"}, {}};
  out.prose = {"rules", "reason"};
  out.units = {{"gain", "%", 0.01, 1}};
  const Value budget = std::isfinite(compared.budget.scalar.value) ? compared.budget : Value();
  bool has_reason = false;
  const auto add = [&](const char* name, const RulesTrial* trial) {
    if (trial == nullptr) return;
    const auto text = [&](const std::string& words) { return owned_text(words, kept); };
    out.rows.push_back({text(name), text(trial->rules.empty() ? "none" : trial->rules), trial->step, trial->gain_over(*compared.given), trial->memory, budget,
                        text(trial->reason)});
    has_reason |= !trial->reason.empty();
  };
  add("given", compared.given);
  add("best document", compared.shipped);
  add("found", compared.found);
  if (!has_reason) out.hidden = {"reason"};
  out.notes.push_back(compared.evidence);
  if (compared.found != nullptr && !compared.replaced.empty())
    out.notes.push_back(fmt::format("The found document replaces {} in the list `rules`.", join(compared.replaced, ", ")));
  return out;
}

}  // namespace opledger
