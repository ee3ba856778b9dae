#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "import/launch_export.h"
#include "search/change/apply_change.h"
#include "search/change/try_changes.h"
#include "tests/support/runs.h"

/// Answers of `fit --change` against runs that are made by hand.
namespace opledger {
namespace {

using State = ChangeTrial::State;

/// Changes of a run of Llama 3 8B on four ranks, each with the request that it stands for.
constexpr const char* kDocument = R"(kind: changes
name: changes
changes:
  checkpoints: {doc: x, rules: recompute_full, when: not lists('recompute_*')}
  half the length: {doc: x, set: {seq: seq // 2}, quality: shorter}
  zero 3: {doc: x, when: dp > 1, rules: zero_3}
  one sequence: {doc: x, set: {microbatch_size: 1}}
  states on the host: {doc: x, rules: [offload_optimizer, overlap_offload]}
  no such rule: {doc: x, rules: chunky}
  never: {doc: x, when: dp > 4, set: {microbatch_size: 2}}
  the same: {doc: x, set: {microbatch_size: 4}}
)";

struct ByHand {
  std::string name;
  Settings settings;
  std::vector<std::string> rules;
};

const ByHand kByHand[] = {{"checkpoints", {}, {"recompute_full"}},
                          {"half the length", {{"seq", "4096"}}, {}},
                          {"zero 3", {}, {"zero_3"}},
                          {"one sequence", {{"microbatch_size", "1"}}, {}},
                          {"states on the host", {}, {"offload_optimizer", "overlap_offload"}}};

struct Figures {
  double size = 0, capacity = 0, rate = 0;
};

ChangesRequest request_of(const std::string& text, const std::string& system, const Settings& settings = {}) {
  static TemporaryFolder folder;
  static int count = 0;
  ChangesRequest out;
  const std::string name = "changes" + std::to_string(count++) + ".yaml";
  std::string named = text;
  named.replace(named.find("name: changes"), 13, "name: " + name.substr(0, name.size() - 5));
  Diagnostics diagnostics;
  out.document = shipped().load(folder.write(name, named).string(), {"changes"}, diagnostics);
  REQUIRE_MESSAGE(out.document, render(diagnostics));
  out.run.model = "llama-3-8b";
  out.run.execution = execution("{dp: 4, cp: 1, tp: 1}", "megatron", "batch_size: 64\nmicrobatch_size: 4\nseq: 8192\n");
  out.run.system = system;
  out.run.overrides = settings;
  return out;
}

ChangesAnswer answer_of(const ChangesRequest& request) {
  Diagnostics diagnostics;
  std::optional<ChangesAnswer> out = try_changes(request, shipped(), diagnostics);
  REQUIRE_MESSAGE(out, render(diagnostics));
  return *std::move(out);
}

/// Returns the figures of the run with changes that are written into the request, in the order of their names.
Figures figures_of(RunRequest request, const std::vector<const ByHand*>& changes) {
  std::vector<Datum> rules = {Datum::scalar("megatron", false, {})};
  for (const ByHand* change : changes) {
    for (const std::string& name : change->rules) rules.push_back(Datum::scalar(name, false, {}));
    request.overrides.insert(request.overrides.end(), change->settings.begin(), change->settings.end());
  }
  request.rules = Datum::list(rules, {});
  Diagnostics diagnostics;
  const auto run = Run::prepare(request, shipped(), diagnostics);
  REQUIRE_MESSAGE(run, render(diagnostics));
  return {value(*run, "memory"), value(*run, "memory_capacity"), value(*run, "tokens_per_second")};
}

std::string name_of(const ChangeTrial& trial, const ChangesAnswer& answer) {
  std::string out;
  for (const std::size_t change : trial.changes) out += (out.empty() ? "" : " + ") + answer.changes[change].name;
  return out;
}

const ChangeTrial& trial_of(const std::vector<ChangeTrial>& trials, const std::string& name, const ChangesAnswer& answer) {
  const auto found = std::find_if(trials.begin(), trials.end(), [&](const ChangeTrial& trial) { return name_of(trial, answer) == name; });
  REQUIRE_MESSAGE(found != trials.end(), name);
  return *found;
}

void check_figures(const ChangeTrial& trial, const Figures& figures) {
  CHECK(trial.size.scalar.value == figures.size);
  CHECK(trial.capacity.scalar.value == figures.capacity);
  CHECK(trial.rate.scalar.value == figures.rate);
  CHECK((trial.state == State::fits) == (figures.size <= figures.capacity));
}

/// Checks that runs which fit come first, the fastest first, and others by size.
void check_order(const std::vector<ChangeTrial>& trials) {
  for (std::size_t i = 1; i < trials.size(); ++i) {
    const ChangeTrial &a = trials[i - 1], &b = trials[i];
    CHECK((a.state == State::fits || b.state != State::fits));
    if (a.state == State::fits && b.state == State::fits) CHECK(a.rate.scalar.value >= b.rate.scalar.value);
    if (a.state != State::fits) CHECK(a.size.scalar.value <= b.size.scalar.value);
  }
}

}  // namespace

TEST_CASE("changes: figures and ranking equal those of runs made by hand") {
  for (const char* capacity : {"75 GiB", "130 GiB", "160 GiB", "400 GiB"}) {
    CAPTURE(capacity);
    const ChangesRequest request = request_of(kDocument, "h100-80g-sxm", {{"system.memory.capacity", capacity}});
    const ChangesAnswer answer = answer_of(request);
    check_figures(answer.now, figures_of(request.run, {}));
    std::set<std::string> sufficient;
    for (const ByHand& change : kByHand) {
      CAPTURE(change.name);
      const Figures figures = figures_of(request.run, {&change});
      check_figures(trial_of(answer.alone, change.name, answer), figures);
      if (figures.size <= figures.capacity) sufficient.insert(change.name);
    }
    CHECK(answer.alone.size() == std::size(kByHand));
    std::size_t pairs = 0;
    for (const ByHand& a : kByHand) {
      for (const ByHand* b = &a + 1; b != std::end(kByHand); ++b) {
        if (answer.now.state == State::fits || sufficient.contains(a.name) || sufficient.contains(b->name)) continue;
        CAPTURE(a.name);
        CAPTURE(b->name);
        const Figures figures = figures_of(request.run, {&a, b});
        check_figures(trial_of(answer.pairs, a.name + " + " + b->name, answer), figures);
        ++pairs;
      }
    }
    CHECK(answer.pairs.size() == pairs);
    check_order(answer.alone);
    check_order(answer.pairs);
  }
}

TEST_CASE("changes: others are left out with their reason") {
  const ChangesAnswer answer = answer_of(request_of(kDocument, "h100-80g-sxm"));
  REQUIRE(answer.left_out.size() == 3);
  CHECK(answer.left_out[0].state == State::impossible);
  CHECK(answer.left_out[0].reason.find("there is no document of kind `rules` named `chunky`") == 0);
  CHECK(answer.left_out[1].state == State::inapplicable);
  CHECK(answer.left_out[1].reason == "its condition is false");
  CHECK(answer.left_out[2].state == State::idle);
}

TEST_CASE("changes: the second of a pair sees the run with the first") {
  constexpr const char* kText = R"(kind: changes
name: changes
changes:
  half of half: {doc: x, when: seq < 8192, set: {seq: seq // 2}}
  half: {doc: x, set: {seq: seq // 2}}
  after checkpoints: {doc: x, when: lists(recompute_full), rules: offload_activations}
  checkpoints: {doc: x, rules: recompute_full}
  none: {doc: x, when: lists(recompute_full), without: recompute_full}
)";
  const ChangesAnswer answer = answer_of(request_of(kText, "a100-40g-sxm"));
  CHECK(trial_of(answer.pairs, "half + half of half", answer).settings == std::vector<std::string>{"seq=4096", "seq=2048"});
  CHECK(trial_of(answer.pairs, "checkpoints + after checkpoints", answer).computed.empty());
  CHECK(trial_of(answer.left_out, "half of half", answer).state == State::inapplicable);
  // The pair of a change and its reversal is the run itself.
  for (const ChangeTrial& trial : answer.pairs) CHECK(name_of(trial, answer) != "checkpoints + none");
}

TEST_CASE("changes: of several systems the first with more memory on which the run fits") {
  constexpr const char* kText = R"(kind: changes
name: changes
changes:
  larger: {doc: x, system: [a100-40g-sxm, h100-80g-sxm, nothing, h200-141g-sxm, b200-180g-sxm]}
  smaller: {doc: x, system: a100-40g-sxm}
  too small: {doc: x, system: [a100-40g-sxm, h100-80g-sxm]}
)";
  const ChangesAnswer answer = answer_of(request_of(kText, "h100-80g-sxm", {{"microbatch_size", "1"}}));
  const ChangeTrial& larger = trial_of(answer.alone, "larger", answer);
  const bool fits_h200 = answer.now.size.scalar.value <= 140.0 * (1 << 30);
  CHECK(larger.computed == std::vector<std::string>{fits_h200 ? "system=h200-141g-sxm" : "system=b200-180g-sxm"});
  CHECK(trial_of(answer.alone, "smaller", answer).capacity.scalar.value < answer.now.capacity.scalar.value);
  CHECK(trial_of(answer.left_out, "too small", answer).reason == "no system of the list has more memory");
}

TEST_CASE("changes: the answer does not depend on threads, and a stopped one is partial") {
  ChangesRequest request = request_of(kDocument, "h100-80g-sxm");
  request.jobs = 1;
  const ChangesAnswer one = answer_of(request);
  request.jobs = 4;
  const ChangesAnswer four = answer_of(request);
  const auto same = [](const std::vector<ChangeTrial>& a, const std::vector<ChangeTrial>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const ChangeTrial& x, const ChangeTrial& y) {
      return x.changes == y.changes && x.state == y.state && x.settings == y.settings && x.rate.scalar.value == y.rate.scalar.value && x.reason == y.reason;
    });
  };
  CHECK(same(one.alone, four.alone));
  CHECK(same(one.pairs, four.pairs));
  CHECK(same(one.left_out, four.left_out));
  CHECK(one.tried == four.tried);
  const std::atomic<bool> stop = true;
  request.stop = &stop;
  const ChangesAnswer stopped = answer_of(request);
  CHECK(stopped.partial);
  CHECK(stopped.alone.empty());
  CHECK(stopped.left_out.size() == stopped.changes.size());
}

TEST_CASE("changes: a rule that the run leaves out has no effect, of a stack too") {
  RunRequest request = request_of(kDocument, "h100-80g-sxm", {{"stack", "deepspeed"}}).run;
  const auto memory = [&] {
    Diagnostics diagnostics;
    const auto run = Run::prepare(request, shipped(), diagnostics);
    REQUIRE_MESSAGE(run, render(diagnostics));
    return value(*run, "memory");
  };
  const double with = memory();
  request.without_rules = {"eager_loss"};
  const double without = memory();
  CHECK(without < with);
  request.without_rules.clear();
  request.more_rules = {Datum::scalar("recompute_full", false, {})};
  CHECK(memory() < with);
}

TEST_CASE("changes: a program of fine-tuning has options for the shipped changes") {
  struct Case {
    const char *format, *rules, *keys;
    std::set<std::string> unknown;  ///< Changes that the program has no options for on one GPU.
  };
  const Case cases[] = {{"axolotl", "lora, nf4", "lora_rank: 8\noptimizer: adamw\n", {"weights on the host"}},
                        {"axolotl", "lora", "lora_rank: 8\nrows_per_sample: 2\nreference_forward: true\n", {"weights on the host"}},
                        {"torchtune", "", "optimizer: adamw\n", {"MLP in tiles"}}};
  Diagnostics diagnostics;
  const auto changes = read_changes(*shipped().load("finetune", {"changes"}, diagnostics), diagnostics);
  for (const Case& one : cases) {
    CAPTURE(one.format);
    const auto request_with = [&](const std::string& rules) {
      RunRequest request;
      request.model = "llama-3-8b", request.system = "h100-80g-sxm";
      request.execution = execution("{dp: 1}", rules, "stack: " + std::string(one.format) + "\nbatch_size: 1\nmicrobatch_size: 1\nseq: 2048\n" + one.keys);
      return request;
    };
    const std::unique_ptr<Run> run = Run::prepare(request_with(one.rules), shipped(), diagnostics);
    REQUIRE_MESSAGE(run, render(diagnostics));
    std::set<std::string> unknown;
    for (const Change& change : *changes) {
      const AppliedChange applied = apply_change(change, *run, shipped());
      if (!applied.applies || applied.runs.size() != 1) continue;
      std::vector<std::string> rules = {one.rules};
      for (const Datum& rule : applied.runs[0].request.more_rules) rules.push_back(rule.text());
      std::erase(rules, "");
      ExportRequest exported{one.format, "", request_with(join(rules, ", "))};
      exported.run.overrides = applied.runs[0].request.overrides;
      Diagnostics messages;
      if (export_launch(exported, shipped(), messages).empty()) unknown.insert(change.name);
    }
    CHECK(join({unknown.begin(), unknown.end()}, ", ") == join({one.unknown.begin(), one.unknown.end()}, ", "));
  }
}

}  // namespace opledger
