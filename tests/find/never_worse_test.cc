#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/lists.h"
#include "find/find_placements.h"
#include "find/find_recompute.h"
#include "find/find_stages.h"
#include "find/rule_trials.h"
#include "tests/support/runs.h"

/// Found settings of shipped executions, against every shipped rule document within the same memory.
namespace opledger {
namespace {

/// Executions whose questions take more than about five seconds together. They are asked with OPLEDGER_NEVER_WORSE=all in
/// the environment; the name of an execution asks for this one only.
const std::vector<std::string> kSlow = {"deepseek-v3-2048xh100",     "gpt3-175b-64xa100",    "jamba-v0.1-64xh100",
                                        "llama-3.1-405b-16384xh100", "megatron-1t-512xa100", "megatron-22b-8xa100",
                                        "megatron-530b-280xa100",    "mixtral-8x7b-64xh100", "mixtral-8x7b-folded-64xh100"};

bool is_asked(const std::string& execution) {
  const char* const asked = std::getenv("OPLEDGER_NEVER_WORSE");
  return asked == nullptr ? !contains(kSlow, execution) : asked == std::string("all") || asked == execution;
}

/// Returns the requests of all shipped executions that train, and of two meshes that are hard for a search: groups of
/// keys fewer than ranks, and experts whose best dispatcher thaws a dimension.
std::vector<RunRequest> requests() {
  std::vector<RunRequest> out;
  for (const std::string& name : trained_executions()) {
    if (!is_asked(name)) continue;
    const auto [model, system] = model_and_system(name);
    RunRequest& run = out.emplace_back();
    run.model = model, run.execution = name, run.system = system;
  }
  const auto add = [&](const char* model, Settings mesh) {
    RunRequest& run = out.emplace_back();
    run.model = model, run.execution = source_folder() + "/tests/data/found/run.yaml", run.system = "h100-80g-sxm", run.overrides = std::move(mesh);
    if (!is_asked(model)) out.pop_back();
  };
  add("mamba2-2.7b", {{"edp", "8"}, {"tp", "8"}, {"batch_size", "32"}});
  add("kimi-k2", {{"edp", "2"}, {"ep", "32"}, {"batch_size", "64"}});
  return out;
}

/// Evaluates a run with further rules in place of some of its own.
RulesTrial evaluate(const RunRequest& run, const std::vector<const Document*>& replaced, const std::vector<std::string>& rules, double budget) {
  RunRequest changed = run;
  leave_out(replaced, changed);
  for (const std::string& name : rules) changed.more_rules.push_back(Datum::scalar(name, false, {}));
  Diagnostics messages;
  const auto prepared = Run::prepare(changed, shipped(), messages);
  RulesTrial out{evaluate_trial(prepared.get(), messages), ""};
  out.judge(budget);
  return out;
}

bool places_nodes(const Document& rules) { return rules.root.find("shard") != nullptr || rules.root.find("nodes") != nullptr; }

/// Returns the shipped rule documents, and those of a run, for which a condition holds.
template <class Condition>
std::vector<const Document*> documents(Condition&& condition) {
  std::vector<const Document*> out;
  Diagnostics ignored;
  for (const std::string& name : shipped().names("rules")) {
    const Document* const rules = shipped().load(name, {"rules"}, ignored);
    if (rules != nullptr && condition(*rules)) out.push_back(rules);
  }
  return out;
}

template <class Condition>
std::vector<const Document*> own_documents(const RunRequest& run, Condition&& condition) {
  Diagnostics messages;
  const auto prepared = Run::prepare(run, shipped(), messages);
  REQUIRE_MESSAGE(prepared, render(messages));
  std::vector<const Document*> out = prepared->rule_documents();
  std::erase_if(out, [&](const Document* rules) { return !condition(*rules); });
  return out;
}

/// Checks that a found run is at least as good as another one that fits.
void check_not_worse(const Trial& found, const Trial& other, const std::string& name) {
  CAPTURE(name);
  if (!other.fits()) return;
  CHECK(found.fits());
  CHECK(found.step.scalar.value <= other.step.scalar.value * (1 + 1e-9));
}

/// Asks a question; empty if the run has nothing to find (`expected` is a part of the message).
template <class Request, class Find>
auto ask(Request request, Find&& find, const std::vector<std::string>& expected) {
  Diagnostics messages;
  auto out = find(request, shipped(), messages);
  const std::string text = render(messages);
  const bool is_expected = std::any_of(expected.begin(), expected.end(), [&](const std::string& words) { return text.find(words) != std::string::npos; });
  if (!out) CHECK_MESSAGE(is_expected, text);
  return out;
}

void check_placements(const RunRequest& run) {
  PlacementsRequest request;
  request.run = run;
  const std::optional<FoundPlacements> first = ask(request, find_placements, {"no axis is left to search"});
  if (!first) return;
  const std::vector<const Document*> own = own_documents(run, places_nodes);
  const auto check = [&](const FoundPlacements& answer) {
    const double budget = answer.budget.scalar.value;
    check_not_worse(answer.found, answer.given, "given");
    for (const Document* const rules : documents(places_nodes)) {
      std::vector<std::string> in_front = {rules->name};
      for (const Document* const other : own) {
        if (other->name != rules->name) in_front.push_back(other->name);
      }
      check_not_worse(answer.found, evaluate(run, own, {rules->name}, budget), rules->name + " alone");
      check_not_worse(answer.found, evaluate(run, own, in_front, budget), rules->name + " in front");
    }
  };
  check(*first);
  if (!first->given.memory.is_number() || first->found.memory.scalar.value <= first->given.memory.scalar.value) return;
  request.budget = first->given.memory.scalar.value;
  if (const auto within = ask(request, find_placements, {})) check(*within);
}

void check_recompute(const RunRequest& run) {
  RecomputeRequest request;
  request.run = run;
  const std::vector<const Document*> own = own_documents(run, only_recomputes);
  // The second budget is one that the run does not fit without recomputation.
  for (const bool is_tight : {false, true}) {
    if (is_tight) request.budget = 0.9 * evaluate(run, own, {}, 0).memory.scalar.value;
    const std::optional<FoundRecompute> answer = ask(request, find_recompute, {});
    if (!answer) return;
    check_not_worse(answer->found, answer->given, "given");
    for (const Document* const rules : documents(only_recomputes))
      check_not_worse(answer->found, evaluate(run, own, {rules->name}, answer->budget.scalar.value), rules->name);
  }
}

void check_stages(const RunRequest& run) {
  StagesRequest request;
  request.run = run;
  const std::optional<FoundStages> answer = ask(request, find_stages, {"the run has one pipeline stage"});
  if (answer) check_not_worse(answer->found, answer->given, "given");
}

}  // namespace

TEST_CASE("find: no shipped document is better than what is found for a shipped execution") {
  for (const RunRequest& run : requests()) {
    CAPTURE(run.model);
    CAPTURE(run.execution);
    check_stages(run);
    check_recompute(run);
    check_placements(run);
  }
}

}  // namespace opledger
