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

std::unique_ptr<PlacementRuns> PlacementRuns::prepare(const PlacementsRequest& request, const Library& library, Diagnostics& diagnostics) {
  std::unique_ptr<PlacementRuns> out(new PlacementRuns(request, library));
  return out->read_given(diagnostics) ? std::move(out) : nullptr;
}

bool PlacementRuns::read_given(Diagnostics& diagnostics) {
  const std::unique_ptr<Run> run = Run::prepare(request_.run, trials_.library(), diagnostics);
  if (run == nullptr || !declares_trials(*run, diagnostics)) return false;
  graphs_ = PlacedGraphs::prepare(request_.run, trials_.library(), diagnostics);
  if (graphs_ == nullptr) return false;
  for (const Document* const rules : run->rule_documents()) {
    if (places_nodes(*rules) && !contains(placing_, rules)) placing_.push_back(rules);
  }
  const auto name = [&](const char* role) { return run->program().find_role(kFitCommand, role)->name; };
  step_ = name("step"), memory_ = name("size");
  const std::optional<Value> capacity = run->value(name("capacity"), diagnostics);
  if (!capacity) return false;
  trials_.set_budget(request_.budget.value_or(capacity->is_number() ? capacity->scalar.value : std::numeric_limits<double>::infinity()));
  Diagnostics messages;
  for (const std::string& name : request_.baselines) {
    const Document* const rules = trials_.library().load(name, {"rules"}, diagnostics);
    if (rules == nullptr) return false;
    if (places_nodes(*rules)) continue;
    diagnostics.error({}, fmt::format("`{}` has neither `shard` nor `nodes`, so placements can't be compared with it", name));
    return false;
  }
  given_ = {trials_.judged(run.get(), join(replaced(), ", "), messages)};
  return true;
}

PlacementsTrial PlacementRuns::trial(const PlacementSpace& space, const StateChoice& states) {
  trials_.count_trial();
  PlacementsTrial out{{{}, kFoundName}, states};
  std::optional<Annotations> annotations = graphs_->annotate(rules_for(space, graphs_->rules(), states), out.reason);
  const auto placed = annotations ? graphs_->evaluate(std::move(*annotations), out.reason) : nullptr;
  if (placed == nullptr) return out;
  out.step = metric_of(*placed, graphs_->run(), step_).value_or(Value{});
  out.memory = metric_of(*placed, graphs_->run(), memory_).value_or(Value{});
  out.state = FitPoint::State::fits;
  out.judge(budget());
  return out;
}

PlacementsTrial PlacementRuns::trial_of_text(const std::string& document) { return {trials_.evaluate_text(without_placing(), document)}; }

/// Tries the run's placing documents with each document in front of them that places nodes, and each option that is true
/// or false the other way round.
bool PlacementRuns::compare_documents(Diagnostics& diagnostics) {
  std::vector<std::optional<std::pair<std::string, std::string>>> options = {std::nullopt};
  for (auto& option : other_options()) options.emplace_back(std::move(option));
  std::optional<std::pair<std::string, std::string>> best_option;
  for (const std::string& document : documents()) {
    for (const auto& option : options) {
      if (stopped()) break;
      RunRequest request = document.empty() ? request_.run : with_first(document);
      std::string names = join(replaced(), ", ");
      if (!document.empty()) names = document + (names.empty() ? "" : ", ") + names;
      if (option) {
        set_input(*option, request);
        names += fmt::format(" with {}: {}", option->first, option->second);
      }
      const PlacementsTrial trial = {trials_.evaluate(request, "", names)};
      if (trial.state == FitPoint::State::impossible || (best_ && !trial.is_better(*best_))) continue;
      best_ = trial, best_option = option, best_request_ = std::move(request);
    }
  }
  if (!best_option) return true;
  RunRequest request = request_.run;
  set_input(*best_option, request);
  graphs_ = PlacedGraphs::prepare(request, trials_.library(), diagnostics);
  return graphs_ != nullptr;
}

RunRequest PlacementRuns::with_first(const std::string& document) const {
  RunRequest out = without_placing();
  out.more_rules.push_back(Datum::scalar(document, false, {}));
  for (const std::string& name : replaced()) {
    if (name != document) out.more_rules.push_back(Datum::scalar(name, false, {}));
  }
  return out;
}

RunRequest PlacementRuns::without_placing() const {
  RunRequest out = request_.run;
  leave_out(placing_, out);
  return out;
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

std::vector<std::string> PlacementRuns::documents() {
  if (!request_.baselines.empty()) return request_.baselines;
  std::vector<std::string> out = {""};
  Diagnostics ignored;
  for (const std::string& name : trials_.library().names("rules")) {
    const Document* const rules = trials_.library().load(name, {"rules"}, ignored);
    if (rules != nullptr && places_nodes(*rules) && !contains(placing_, rules)) out.push_back(name);
  }
  return out;
}

std::vector<std::string> PlacementRuns::replaced() const {
  std::vector<std::string> out;
  for (const Document* const rules : placing_) out.push_back(rules->shipped || trials_.library().provides(*rules) ? rules->name : rules->path.string());
  return out;
}

std::string PlacementRuns::kept_sections() {
  std::vector<std::pair<std::string, std::string>> sections;  // By key, because documents may have the same sections.
  const auto add = [&](const std::string& key, const std::string& lines) {
    const auto known = std::find_if(sections.begin(), sections.end(), [&](const auto& other) { return other.first == key; });
    if (known == sections.end()) {
      sections.emplace_back(key, lines);
    } else {
      known->second += lines;
    }
  };
  for (const Document* const rules : placing_) {
    for (const auto& [key, section] : rules->root.entries()) {
      if (contains(kPlacingSections, key.text()) || contains(kHeaders, key.text())) continue;
      const bool is_option = key.text() == "options";
      for (const Datum::Entry& entry : section.is_map() ? section.entries() : std::vector<Datum::Entry>())
        add(key.text(), "\n  " + entry.first.text() + ": " + yaml_flow(is_option ? without_effect(entry.second) : entry.second));
      for (const Datum& item : section.is_list() ? section.items() : std::vector<Datum>()) {
        if (const std::optional<Datum> kept = kept_item(item)) add(key.text(), "\n  - " + yaml_flow(*kept));
      }
    }
  }
  std::string out;
  for (const auto& [key, lines] : sections) out += key + ":" + lines + "\n";
  return out;
}

std::optional<Datum> PlacementRuns::kept_item(const Datum& item) {
  // Groups of axes that this mesh lacks would only cause warnings.
  const auto is_unknown = [&](const Datum& axis) { return !graphs_->mesh().knows(axis.text()); };
  if (item.is_list() && std::any_of(item.items().begin(), item.items().end(), is_unknown)) return std::nullopt;
  const Datum* const when = item.is_map() ? item.find("when") : nullptr;
  if (when == nullptr) return item;
  if (!graphs_->holds(*when)) return std::nullopt;
  std::vector<Datum::Entry> entries;
  for (const Datum::Entry& entry : item.entries()) {
    if (entry.first.text() != "when") entries.push_back(entry);
  }
  return Datum::map(std::move(entries), {});
}

}  // namespace opledger
