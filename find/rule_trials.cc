#include "find/rule_trials.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/lists.h"
#include "base/text.h"
#include "formulas/value.h"
#include "run/sources.h"
#include "schemas/document.h"

namespace opledger {

void leave_out(const std::vector<const Document*>& documents, RunRequest& request) {
  for (const Document* const rules : documents) {
    for (const std::string& name : {rules->name, rules->path.stem().string()}) {
      std::erase_if(request.more_rules, [&](const Datum& written) { return name_of_rules(written) == name; });
      if (!contains(request.without_rules, name)) request.without_rules.push_back(name);
    }
  }
}

void set_input(const std::pair<std::string, std::string>& setting, RunRequest& request) {
  std::erase_if(request.overrides, [&](const auto& other) { return other.first == setting.first; });
  request.overrides.push_back(setting);
}

void provide_text(const std::string& name, const std::string& text, Library& library, Diagnostics& messages) {
  if (const std::optional<Datum> root = parse_document(std::make_shared<SourceFile>(name, text), messages))
    library.provide(name, name + ".yaml", *root, messages);
}

std::string with_head(std::string_view document, const std::vector<std::string>& head) {
  while (document.starts_with('#')) document.remove_prefix(std::min(document.find('\n'), document.size() - 1) + 1);
  std::string out;
  for (const std::string& line : head) out += "# " + line + "\n";
  return out.append(document);
}

std::string RuleTrials::provide(const std::string& text, Diagnostics& messages) {
  const std::string name = fmt::format("found {}", names_.size());
  const auto [known, fresh] = names_.try_emplace(text, name);
  if (!fresh) return known->second;
  provide_text(name, text, library_, messages);
  return name;
}

RulesTrial RuleTrials::judged(Run* run, std::string rules, Diagnostics& messages) const {
  RulesTrial out{evaluate_trial(run, messages), std::move(rules)};
  out.judge(budget_);
  return out;
}

RulesTrial RuleTrials::evaluate(RunRequest request, const std::string& document, std::string rules) {
  count_trial();
  if (!document.empty()) request.more_rules.push_back(Datum::scalar(document, true, {}));
  Diagnostics messages;
  const std::unique_ptr<Run> run = Run::prepare(request, library_, messages);
  return judged(run.get(), std::move(rules), messages);
}

RulesTrial RuleTrials::evaluate_text(const RunRequest& request, const std::string& text) {
  Diagnostics messages;
  const std::string name = provide(text, messages);
  if (!messages.has_errors()) return evaluate(request, name, "found");
  RulesTrial failed;
  failed.rules = "found", failed.reason = messages.first_error()->message;
  return failed;
}

void RuleTrials::count_trial() {
  if (progress_) progress_(count_);
  ++count_;
}

std::vector<std::string> head_of_document(const RunRequest& run, const RulesTrial& found, const Value& budget, const std::vector<std::string>& replaced) {
  std::vector<std::string> settings;
  for (const auto& [key, value] : run.overrides) settings.push_back(key + "=" + value);
  const std::string with = settings.empty() ? "" : " with " + join(settings, ", ");
  const std::string of = budget.is_number() && std::isfinite(budget.scalar.value) ? " of " + human(budget) : "";
  return {fmt::format("Found for {} under {}{} on {}: a step of {}, {}{} on a rank.", run.model, run.execution, with, run.system, human(found.step),
                      human(found.memory), of),
          replaced.empty() ? "To use it, list it among the `rules` of the execution."
                           : fmt::format("To use it, list it among the `rules` of the execution in place of {}.", join(replaced, ", "))};
}

}  // namespace opledger
