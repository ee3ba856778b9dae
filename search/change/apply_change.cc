#include "search/change/apply_change.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "base/lists.h"
#include "base/text.h"
#include "formulas/link/linker.h"
#include "run/sources.h"
#include "search/candidate_run.h"

namespace opledger {
namespace {

/// Returns the message of the first error. Its position is left out: `validate` reports mistakes of the document.
std::string first_reason(const Diagnostics& diagnostics) {
  const Diagnostic* const error = diagnostics.first_error();
  return error != nullptr ? error->message : "it has no value";
}

/// A change on its way into the request of a run.
class Application {
 public:
  Application(const Change& change, Run& before, Library& library) : change_(change), before_(before), library_(library), request_(before.request()) {
    for (std::size_t i = 0; i < before.rule_documents().size(); ++i) {
      if (holds(before.rule_conditions()[i])) listed_.push_back(before.rule_documents()[i]->name);
    }
    // A solved value belongs to the run before the change; the changed run solves its own.
    if (before.solved()) std::erase_if(request_.fields, [&](const FieldAssignment& field) { return field.name == before.solved()->name; });
  }

  AppliedChange apply() {
    AppliedChange out;
    const std::optional<Value> holds = change_.when != nullptr ? value(with_lists(change_.when), diagnostics_) : truth_value(true);
    if (!holds) return refused(std::move(out));
    if (as_truth(*holds).scalar.value == 0) return out.reason = "its condition is false", out;
    out.applies = true;
    if (!set_values() || !set_rules() || !set_stack()) return refused(std::move(out));
    if (change_.systems.empty()) {
      out.runs.push_back({request_, settings_, computed_});
    } else {
      add_systems(out.runs);
      out.must_grow = change_.systems.size() > 1;
    }
    return out.runs.empty() ? refused(std::move(out)) : out;
  }

 private:
  AppliedChange refused(AppliedChange out) const {
    out.reason = first_reason(diagnostics_);
    return out;
  }

  /// Returns the value of a formula in the run before the change. A formula without a value gives nothing and errors.
  std::optional<Value> value(const ExprPtr& formula, Diagnostics& diagnostics) {
    Linker linker(before_.program(), before_.evaluator().queries(), diagnostics);
    const Formula* const linked = linker.link(formula, *before_.program().model);
    if (linked == nullptr) return std::nullopt;
    const Answer answer = before_.evaluator().ask(*linked);
    return answer.report(diagnostics) ? std::optional(answer.value) : std::nullopt;
  }

  /// Returns whether the run uses a rule document with this condition. A condition without a value counts as false.
  bool holds(const ExprPtr& condition) {
    if (condition == nullptr) return true;
    Diagnostics ignored;
    const std::optional<Value> holds = value(condition, ignored);
    return holds && as_truth(*holds).scalar.value != 0;
  }

  /// Returns the tree with a truth in place of each call of `lists`, because only the request knows rules by name.
  ExprPtr with_lists(const ExprPtr& expr) const {
    auto out = std::make_shared<Expr>(*expr);
    if (is_lists_call(*expr)) {
      out->kind = Expr::Kind::boolean;
      out->number = std::any_of(expr->args.begin() + 1, expr->args.end(), [&](const ExprPtr& name) { return lists(*name); }) ? 1 : 0;
      out->args.clear();
    }
    for (ExprPtr& arg : out->args) arg = with_lists(arg);
    return out;
  }

  bool lists(const Expr& name) const {
    return std::any_of(listed_.begin(), listed_.end(), [&](const std::string& rules) { return glob_match(name.text, rules); });
  }

  bool set_values() {
    for (const Change::Setting& setting : change_.set) {
      const std::optional<Value> computed = setting.formula != nullptr ? value(with_lists(setting.formula), diagnostics_) : std::nullopt;
      if (setting.formula != nullptr && !computed) return false;
      set(setting.key, computed ? as_written(*computed) : setting.text);
      if (computed) computed_.push_back(settings_.back());
    }
    return true;
  }

  /// Replaces the value of a key, whichever setting stated it.
  void set(const std::string& key, const std::string& text) {
    std::erase_if(request_.overrides, [&](const auto& setting) { return setting.first == key; });
    std::erase_if(request_.fields, [&](const FieldAssignment& field) { return field.name == key; });
    request_.overrides.emplace_back(key, text);
    settings_.push_back(fmt::format("{}={}", key, text));
  }

  /// Adds and removes rule documents. Each is looked up first, so that a missing one is the reason.
  bool set_rules() {
    for (const Datum& written : change_.without) {
      const std::string name = name_of_rules(written);
      const auto listed = std::count(listed_.begin(), listed_.end(), name);
      const auto added = std::erase_if(request_.more_rules, [&](const Datum& other) { return name_of_rules(other) == name; });
      if (listed == 0) continue;
      if (listed > static_cast<std::ptrdiff_t>(added)) request_.without_rules.push_back(name);
      settings_.push_back("rules - " + name);
    }
    for (const Datum& name : change_.rules) {
      const Document* const rules = library_.load(name, {"rules"}, diagnostics_);
      if (rules == nullptr) return false;
      if (contains(listed_, rules->name) && !contains(request_.without_rules, rules->name)) continue;
      std::erase(request_.without_rules, rules->name);
      request_.more_rules.push_back(name);
      settings_.push_back("rules + " + rules->name);
    }
    return true;
  }

  bool set_stack() {
    if (!change_.stack) return true;
    std::string name = change_.stack->text();
    if (name != kNoStack) {
      const Document* const stack = library_.load(*change_.stack, {"stack"}, diagnostics_);
      if (stack == nullptr) return false;
      if (!stack->shipped) name = stack->path.string();
    }
    set(kStack, name);
    return true;
  }

  /// Adds a run for each system of the list. A missing system is skipped, with an error.
  void add_systems(std::vector<ChangedRun>& runs) {
    for (const Datum& name : change_.systems) {
      const Document* const system = library_.load(name, {"system"}, diagnostics_);
      if (system == nullptr) continue;
      ChangedRun& run = runs.emplace_back(ChangedRun{request_, settings_, computed_});
      run.request.system = system->shipped ? name.text() : system->path.string();
      run.settings.push_back("system=" + system->name);
      if (change_.systems.size() > 1) run.computed.push_back(run.settings.back());
    }
  }

  const Change& change_;
  Run& before_;
  Library& library_;
  RunRequest request_;
  std::vector<std::string> listed_;               ///< Names of the rule documents of the run before the change.
  std::vector<std::string> settings_, computed_;  ///< See ChangedRun.
  Diagnostics diagnostics_;
};

}  // namespace

AppliedChange apply_change(const Change& change, Run& before, Library& library) { return Application(change, before, library).apply(); }

std::string request_key(const RunRequest& request) {
  std::vector<std::string> parts = {"system=" + request.system};
  for (const auto& [key, text] : request.overrides) parts.push_back(key + "=" + text);
  for (const Datum& rules : request.more_rules) parts.push_back("+" + rules.text());
  for (const std::string& rules : request.without_rules) parts.push_back("-" + rules);
  std::sort(parts.begin(), parts.end());
  return join(parts, "\n");
}

}  // namespace opledger
