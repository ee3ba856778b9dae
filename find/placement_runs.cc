#include "find/placement_runs.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/lists.h"
#include "base/text.h"
#include "formulas/value.h"
#include "schemas/document.h"
#include "schemas/yaml_text.h"

namespace opledger {
namespace {

constexpr std::array<std::string_view, 2> kPlacingSections = {"shard", "nodes"};
constexpr std::array<std::string_view, 5> kHeaders = {"kind", "name", "doc", "source", "quiet"};
constexpr const char* kFoundName = "found";

bool places_nodes(const Document& rules) {
  return std::any_of(std::begin(kPlacingSections), std::end(kPlacingSections), [&](std::string_view key) { return rules.root.find(key) != nullptr; });
}

/// Returns an option that nothing reads.
Datum without_effect(const Datum& option) {
  std::vector<Datum::Entry> entries;
  for (const Datum::Entry& entry : option.entries()) {
    if (entry.first.text() != "doc") entries.push_back(entry);
  }
  entries.emplace_back(Datum::scalar("doc", false, {}), Datum::scalar("no effect in this document", false, {}));
  return Datum::map(std::move(entries), {});
}

}  // namespace

std::unique_ptr<PlacementRuns> PlacementRuns::prepare(const PlacementsRequest& request, Library& library, Diagnostics& diagnostics) {
  std::unique_ptr<PlacementRuns> out(new PlacementRuns(request, library));
  return out->read_given(diagnostics) ? std::move(out) : nullptr;
}

bool PlacementRuns::read_given(Diagnostics& diagnostics) {
  const std::unique_ptr<Run> run = Run::prepare(request_.run, library_, diagnostics);
  if (run == nullptr || !declares_trials(*run, diagnostics)) return false;
  graphs_ = PlacedGraphs::prepare(request_.run, library_, diagnostics);
  if (graphs_ == nullptr) return false;
  for (const Document* const rules : run->rule_documents()) {
    if (places_nodes(*rules) && !contains(placing_, rules)) placing_.push_back(rules);
  }
  const auto name = [&](const char* role) { return run->program().find_role(kFitCommand, role)->name; };
  step_ = name("step"), memory_ = name("size");
  const std::optional<Value> capacity = run->value(name("capacity"), diagnostics);
  if (!capacity) return false;
  budget_ = request_.budget.value_or(capacity->is_number() ? capacity->scalar.value : std::numeric_limits<double>::infinity());
  Diagnostics messages;
  for (const std::string& name : request_.baselines) {
    const Document* const rules = library_.load(name, {"rules"}, diagnostics);
    if (rules == nullptr) return false;
    if (places_nodes(*rules)) continue;
    diagnostics.error({}, fmt::format("`{}` has neither `shard` nor `nodes`, so placements can't be compared with it", name));
    return false;
  }
  given_ = judged({{evaluate_trial(run.get(), messages), join(replaced(), ", ")}});
  return true;
}

PlacementsTrial PlacementRuns::judged(PlacementsTrial trial) const {
  if (!trial.step.is_number() || !trial.memory.is_number()) trial.state = FitPoint::State::impossible;
  trial.judge(budget_);
  return trial;
}

void PlacementRuns::count_trial() {
  if (request_.progress) request_.progress(count_);
  ++count_;
}

PlacementsTrial PlacementRuns::trial(const PlacementSpace& space, const StateChoice& states) {
  count_trial();
  PlacementsTrial out{{{}, kFoundName}, states};
  std::optional<Annotations> annotations = graphs_->annotate(rules_for(space, graphs_->rules(), states), out.reason);
  const auto placed = annotations ? graphs_->evaluate(std::move(*annotations), out.reason) : nullptr;
  if (placed == nullptr) return out;
  out.step = metric_of(*placed, graphs_->run(), step_).value_or(Value{});
  out.memory = metric_of(*placed, graphs_->run(), memory_).value_or(Value{});
  out.state = FitPoint::State::fits;
  return judged(std::move(out));
}

PlacementsTrial PlacementRuns::evaluate(const RunRequest& request, Library& library, std::string rules) {
  count_trial();
  Diagnostics messages;
  const std::unique_ptr<Run> run = Run::prepare(request, library, messages);
  return judged({{evaluate_trial(run.get(), messages), std::move(rules)}});
}

PlacementsTrial PlacementRuns::trial_of_text(const std::string& document) {
  Diagnostics messages;
  const std::optional<Datum> root = parse_document(std::make_shared<SourceFile>(SourceFile{"found.yaml", document}), messages);
  Library with_found = library_;
  if (!root || with_found.provide(kFoundName, "found.yaml", *root, messages) == nullptr) {
    PlacementsTrial failed;
    failed.rules = kFoundName, failed.reason = messages.all().front().message;
    return failed;
  }
  RunRequest request = request_.run;
  const std::vector<std::string> names = replaced();
  request.without_rules.insert(request.without_rules.end(), names.begin(), names.end());
  request.more_rules.push_back(Datum::scalar(kFoundName, false, {}));
  return evaluate(request, with_found, kFoundName);
}

/// Tries the run's placing documents with each document in front of them that places nodes, and each option that is true
/// or false the other way round.
bool PlacementRuns::compare_documents(Diagnostics& diagnostics) {
  const std::vector<std::pair<std::string, std::string>> options = other_options();
  std::pair<std::string, std::string> best_option;
  for (const std::string& document : documents()) {
    for (std::size_t i = 0; i <= options.size() && !stopped(); ++i) {
      RunRequest request = request_.run;
      std::string names = join(replaced(), ", ");
      if (!document.empty()) {
        request.more_rules.push_back(Datum::scalar(document, false, {}));
        for (const std::string& name : replaced()) {
          request.without_rules.push_back(name);
          if (name != document) request.more_rules.push_back(Datum::scalar(name, false, {}));
        }
        names = document + (names.empty() ? "" : ", ") + names;
      }
      const std::pair<std::string, std::string> option = i == 0 ? std::pair<std::string, std::string>() : options[i - 1];
      if (i > 0) {
        request.overrides.push_back(option);
        names += fmt::format(" with {}: {}", option.first, option.second);
      }
      const PlacementsTrial trial = evaluate(request, library_, names);
      if (trial.state == FitPoint::State::impossible || (best_ && !trial.is_better(*best_))) continue;
      best_ = trial, best_option = option;
    }
  }
  if (best_option.first.empty()) return true;
  RunRequest request = request_.run;
  request.overrides.push_back(best_option);
  graphs_ = PlacedGraphs::prepare(request, library_, diagnostics);
  return graphs_ != nullptr;
}

std::vector<std::pair<std::string, std::string>> PlacementRuns::other_options() const {
  std::vector<std::pair<std::string, std::string>> out;
  Evaluator evaluator(graphs_->run().program());
  for (const Document* const rules : placing_) {
    const Datum* const declared = rules->root.find("options");
    for (const auto& [name, _] : declared != nullptr ? declared->entries() : std::vector<Datum::Entry>{}) {
      const Name* const input = graphs_->run().program().find(name.text());
      if (input == nullptr) continue;
      const Answer now = evaluator.ask(*input);
      if (now.known() && now.value.kind == Value::Kind::truth) out.emplace_back(name.text(), now.value.scalar.value != 0 ? "false" : "true");
    }
  }
  return out;
}

std::vector<std::string> PlacementRuns::documents() const {
  if (!request_.baselines.empty()) return request_.baselines;
  std::vector<std::string> out = {""};
  Diagnostics ignored;
  for (const std::string& name : library_.names("rules")) {
    const Document* const rules = library_.load(name, {"rules"}, ignored);
    if (rules != nullptr && places_nodes(*rules) && !contains(placing_, rules)) out.push_back(name);
  }
  return out;
}

std::vector<std::string> PlacementRuns::replaced() const {
  std::vector<std::string> out;
  for (const Document* const rules : placing_) out.push_back(rules->shipped ? rules->name : rules->path.string());
  return out;
}

std::string PlacementRuns::kept_sections() {
  std::string out;
  for (const Document* const rules : placing_) {
    for (const auto& [key, section] : rules->root.entries()) {
      if (contains(kPlacingSections, key.text()) || contains(kHeaders, key.text())) continue;
      if (key.text() == "options") {
        out += "options:\n";
        for (const auto& [name, option] : section.entries()) out += "  " + name.text() + ": " + yaml_flow(without_effect(option)) + "\n";
        continue;
      }
      if (!section.is_list()) {
        out += key.text() + ": " + yaml_flow(section) + "\n";
        continue;
      }
      std::string items;
      for (const Datum& item : section.items()) {
        // Groups of axes that this mesh lacks would only cause warnings.
        const auto is_unknown = [&](const Datum& axis) { return !graphs_->mesh().knows(axis.text()); };
        if (item.is_list() && std::any_of(item.items().begin(), item.items().end(), is_unknown)) continue;
        const Datum* const when = item.is_map() ? item.find("when") : nullptr;
        if (when != nullptr && !graphs_->holds(*when)) continue;
        std::vector<Datum::Entry> entries;
        if (when != nullptr) {
          for (const Datum::Entry& entry : item.entries()) {
            if (entry.first.text() != "when") entries.push_back(entry);
          }
        }
        items += "\n  - " + yaml_flow(when != nullptr ? Datum::map(std::move(entries), {}) : item);
      }
      if (!items.empty()) out += key.text() + ":" + items + "\n";
    }
  }
  return out;
}

std::vector<std::string> PlacementRuns::head(const PlacementsTrial& found) const {
  const RunRequest& run = request_.run;
  std::vector<std::string> out = {
      fmt::format("Found for {} on {} with {}: a step of {}, {} on a rank.", run.model, run.system, run.execution, human(found.step), human(found.memory))};
  out.push_back(fmt::format("To evaluate: list this document in the execution's `rules` in place of {}.", join(replaced(), ", ")));
  return out;
}

}  // namespace opledger
