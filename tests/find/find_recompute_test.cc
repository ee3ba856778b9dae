#include "find/find_recompute.h"

#include <fmt/core.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "find/recompute_front.h"
#include "schemas/document.h"
#include "tests/support/documents.h"
#include "tests/support/runs.h"

/// Found recomputation, against every choice of tiny models and every shipped document for recomputation.
namespace opledger {
namespace {

constexpr double kGiB = 1 << 30;

RecomputeRequest request(const std::string& model, const std::string& execution, double budget) {
  RecomputeRequest out;
  out.run.model = model, out.run.execution = execution, out.run.system = "h100-80g-sxm";
  out.budget = budget;
  return out;
}

FoundRecompute found(const RecomputeRequest& request) {
  said() = {};
  const std::optional<FoundRecompute> out = find_recompute(request, shipped(), said());
  REQUIRE_MESSAGE(out, render(said()));
  return *out;
}

/// Seconds and bytes of a run.
struct Figures {
  double step = 0, memory = 0;
};

Figures figures(const Trial& trial) {
  REQUIRE(trial.step.is_number());
  REQUIRE(trial.memory.is_number());
  return {trial.step.scalar.value, trial.memory.scalar.value};
}

/// Prepares a run with a further rule document, by name or path.
std::unique_ptr<Run> with_rules(RunRequest request, const std::string& rules, Library& library) {
  request.more_rules.push_back(Datum::scalar(rules, true, {}));
  Diagnostics messages;
  auto run = Run::prepare(request, library, messages);
  REQUIRE_MESSAGE(run, render(messages));
  return run;
}

/// Prepares a run with further rules of this text.
std::unique_ptr<Run> with_text(const RunRequest& request, const std::string& text) {
  static TemporaryFolder folder;
  static int count = 0;
  return with_rules(request, folder.write("rules" + std::to_string(count++) + ".yaml", text).string(), shipped());
}

Figures figures(Run& run) { return {value(run, "iteration_time"), value(run, "memory")}; }

bool same(const Figures& a, const Figures& b) { return near(a.step, b.step, 1e-9) && near(a.memory, b.memory, 1e-9); }

/// A tiny model, its execution, and the choices on the lower hull of all choices (tests/data/found).
struct Reference {
  RunRequest run;
  std::vector<std::vector<std::string>> hull;
};

Reference reference(const std::string& name) {
  const std::string folder = source_folder() + "/tests/data/found/";
  std::ifstream file(folder + "recompute-" + name + ".json");
  std::stringstream text;
  text << file.rdbuf();
  const Datum root = datum(text.str());
  const auto flow = [&](const Datum& map) {
    std::string out;
    for (const auto& [key, one] : map.entries()) out += (out.empty() ? "" : ", ") + key.text() + ": " + one.text();
    return "{" + out + "}";
  };
  std::string settings, rules;
  for (const auto& [key, one] : root.find("settings")->entries()) settings += key.text() + ": " + one.text() + "\n";
  for (const Datum& one : root.find("rules")->items()) rules += (rules.empty() ? "" : ", ") + one.text();
  Reference out{request(folder + name + ".yaml", execution(flow(*root.find("mesh")), rules, settings + "accounting: standard\n"), 0).run, {}};
  for (const Datum& point : root.find("hull")->items()) out.hull.push_back(point.texts("recomputed"));
  return out;
}

/// Returns the run of every choice of nodes to recompute.
std::vector<std::pair<LayerRecompute, Figures>> every_choice(const RunRequest& request) {
  const auto plain = prepare(request.model, request.execution, request.system);
  std::vector<NodeId> nodes;
  for (const Segment& segment : plain->graph().segments) {
    if (segment.repeat == nullptr) continue;
    for (const NodeId n : segment.nodes()) nodes.push_back(n);
  }
  std::vector<std::pair<LayerRecompute, Figures>> out;
  for (std::size_t set = 0; set < std::size_t{1} << nodes.size(); ++set) {
    LayerRecompute choice;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      if ((set >> k & 1) != 0) choice.nodes.push_back(nodes[k]);
    }
    const auto run = with_text(request, recompute_document(plain->graph(), {choice, {}}));
    out.emplace_back(std::move(choice), figures(*run));
  }
  return out;
}

/// Returns whether some choice is at least as good in both figures, and better in one.
bool is_beaten(const Figures& by, const Figures& than) {
  const bool is_as_good = by.step <= than.step * (1 + 1e-9) && by.memory <= than.memory * (1 + 1e-9);
  return is_as_good && !same(by, than);
}

/// Returns the front of sets of nodes, without whole segments, which are no such set.
std::vector<RecomputePoint> front_of(const RunRequest& request, const Graph& graph, Run& plain) {
  const ChosenRun chosen = [&](const RecomputeChoice& choice) { return with_text(request, recompute_document(graph, choice)); };
  said() = {};
  auto costs = read_recompute_costs(plain, chosen, said());
  REQUIRE_MESSAGE(costs, render(said()));
  for (SegmentCosts& one : *costs) one.whole_seconds = std::numeric_limits<double>::infinity();
  std::string error;
  const std::vector<RecomputePoint> out = recompute_front(*costs, error);
  CHECK(error.empty());
  return out;
}

}  // namespace

TEST_CASE("find recompute: the front of tiny models is the front of all choices") {
  for (const char* name : {"product-pair", "two-branches"}) {
    CAPTURE(name);
    const Reference expected = reference(name);
    const auto all = every_choice(expected.run);
    const auto plain = prepare(expected.run.model, expected.run.execution, expected.run.system);
    const Graph& graph = plain->graph();
    std::vector<std::vector<std::string>> choices;
    for (const RecomputePoint& point : front_of(expected.run, graph, *plain)) {
      const auto run = with_text(expected.run, recompute_document(graph, {point.choice, {}}));
      const Figures own = figures(*run);
      CHECK(std::none_of(all.begin(), all.end(), [&](const auto& other) { return is_beaten(other.second, own); }));
      std::vector<std::string>& names = choices.emplace_back();
      for (const NodeId n : point.choice.nodes) names.push_back(graph.nodes[n].name);
      std::sort(names.begin(), names.end());
    }
    // The lower hull by an earlier accounting: its seconds have changed since, its choices have not.
    for (const auto& choice : expected.hull) CHECK(std::find(choices.begin(), choices.end(), choice) != choices.end());
    for (const auto& [choice, own] : all) {
      const FoundRecompute answer = found(request(expected.run.model, expected.run.execution, own.memory));
      CHECK(answer.found.fits());
      for (const auto& [_, other] : all) {
        if (other.memory <= own.memory) CHECK(figures(answer.found).step <= other.step * (1 + 1e-9));
      }
    }
  }
}

TEST_CASE("find recompute: seconds and bytes of single nodes add up to those of whole runs") {
  for (const char* regather : {"true", "false"}) {
    CAPTURE(regather);
    const std::string rest = fmt::format("batch_size: 16\nsequence_parallel: true\nregather: {}\naccounting: standard\n", regather);
    const RunRequest asked = request("llama-3-8b", execution("{pp: 2, tp: 4}", "megatron, zero_1", rest), 0).run;
    const auto plain = prepare(asked.model, asked.execution, asked.system);
    const std::vector<RecomputePoint> front = front_of(asked, plain->graph(), *plain);
    REQUIRE(front.size() > 10);
    const Figures none = figures(*plain);
    const double scale = (16.0 + 1) / 16;  // The pipeline fills and drains.
    for (std::size_t i = 0; i < front.size(); i += 6) {
      const auto run_of_point = with_text(asked, recompute_document(plain->graph(), {front[i].choice, {}}));
      const Figures own = figures(*run_of_point);
      CHECK(own.step - none.step == doctest::Approx(front[i].seconds * scale).epsilon(0.01));
      CHECK(std::abs(none.memory - own.memory - (front.back().bytes - front[i].bytes)) < 0.08 * none.memory);
    }
  }
}

TEST_CASE("find recompute: never worse than a shipped document within its memory") {
  const RunRequest runs[] = {
      request("llama-3-8b", execution("{pp: 2, tp: 2}", "megatron, zero_1, recompute_selective", "batch_size: 8\naccounting: standard\n"), 0).run,
      request("deepseek-v2-lite", execution("{dp: {edp: 1, ep: 8}}", "megatron, zero_1", "batch_size: 16\naccounting: standard\n"), 0).run,
  };
  for (const RunRequest& run : runs) {
    CAPTURE(run.model);
    RunRequest without = run;
    without.without_rules = {"recompute_selective"};
    std::map<std::string, Figures> documents;
    for (const std::string& name : shipped().names("rules")) {
      Diagnostics ignored;
      const Document* const rules = shipped().load(name, {"rules"}, ignored);
      if (rules != nullptr && only_recomputes(*rules)) documents[name] = figures(*with_rules(without, name, shipped()));
    }
    REQUIRE(documents.count("recompute_full") == 1);
    const double least = documents["recompute_full"].memory, most = documents["recompute_selective"].memory;
    double faster = std::numeric_limits<double>::infinity();
    for (const double budget : {least, (least + most) / 2, 1.1 * most}) {
      CAPTURE(budget);
      const FoundRecompute answer = found(request(run.model, run.execution, budget));
      CHECK(answer.found.fits());
      const Figures own = figures(answer.found);
      CHECK(own.memory <= budget);
      CHECK(own.step <= faster);  // More memory is never slower.
      faster = own.step;
      for (const auto& [name, other] : documents) {
        CAPTURE(name);
        if (other.memory <= budget) CHECK(own.step <= other.step * (1 + 1e-9));
      }
    }
  }
}

TEST_CASE("find recompute: the found document gives the found run, in place of the run's own recomputation") {
  const std::string run = execution("{pp: 2, tp: 2}", "megatron, recompute_full, zero_1", "batch_size: 8\naccounting: standard\n");
  const RunRequest given = request("llama-3-8b", run, 0).run;
  const Figures full = figures(*prepare(given.model, given.execution, given.system));
  const FoundRecompute answer = found(request("llama-3-8b", run, 1.05 * full.memory));
  CHECK(answer.given.rules == "recompute_full");
  CHECK(answer.replaced == std::vector<std::string>{"recompute_full"});
  CHECK(figures(answer.found).step < full.step);
  RunRequest without = given;
  without.without_rules = answer.replaced;
  const auto again = with_text(without, answer.document);
  CHECK(figures(*again).step == figures(answer.found).step);
  CHECK(figures(*again).memory == figures(answer.found).memory);
  REQUIRE(!answer.lines.empty());
  for (const FoundLine& line : answer.lines) {
    REQUIRE(line.saves.is_number());
    CHECK(figures(answer.found).memory + line.saves.scalar.value > 1.05 * full.memory);  // Every line is needed.
  }
  CHECK(found(request("llama-3-8b", run, 1.05 * full.memory)).document == answer.document);
}

TEST_CASE("find recompute: a user's document is a baseline, and documents with other rules are not") {
  const std::string run = execution("{pp: 2, tp: 2}", "megatron", "batch_size: 8\naccounting: standard\n");
  const TemporaryFolder folder;
  RecomputeRequest asked = request("llama-3-8b", run, 1e13);
  asked.baselines = {folder.write("own.yaml", "kind: rules\nname: own\nrecompute:\n  - {match: {component: mlp}}\n").string()};
  const FoundRecompute answer = found(asked);
  REQUIRE(answer.shipped);
  CHECK(answer.shipped->rules == "own");
  CHECK(answer.found.rules.empty());
  CHECK(answer.document.empty());  // Nothing is recomputed if everything fits.
  asked.baselines = {"tiled_mlp"};
  said() = {};
  CHECK(!find_recompute(asked, shipped(), said()));
  CHECK(render(said()).find("`tiled_mlp`") != std::string::npos);
}

TEST_CASE("find recompute: a budget that nothing fits, and a stopped search") {
  const std::string run = execution("{tp: 2}", "megatron", "batch_size: 8\naccounting: standard\n");
  const FoundRecompute answer = found(request("llama-3-8b", run, kGiB));
  CHECK(!answer.found.fits());
  CHECK(answer.problem.find("the budget is 1.00 GiB") != std::string::npos);
  REQUIRE(answer.shipped);
  CHECK(figures(answer.found).memory <= figures(*answer.shipped).memory);
  CHECK(answer.problem.find(human(figures(answer.found).memory, answer.budget.unit)) != std::string::npos);

  std::atomic<bool> stop = false;
  RecomputeRequest asked = request("llama-3-8b", run, figures(answer.given).memory * 0.9);
  asked.stop = &stop;
  asked.progress = [&](std::size_t tried) { stop = tried >= 3; };
  const FoundRecompute partial = found(asked);
  CHECK(partial.partial);
  CHECK(partial.tried <= 5);
}

TEST_CASE("find recompute: errors name the cause") {
  RecomputeRequest other;
  other.run.model = "calculon/megatron-22B", other.run.execution = "calculon/megatron-22B-8", other.run.system = "calculon/a100_80g";
  said() = {};
  CHECK(!find_recompute(other, shipped(), said()));
  CHECK(said().has_errors());
  const std::string run = execution("{tp: 2}", "megatron", "batch_size: 8\naccounting: standard\n");
  RecomputeRequest bare = request("llama-3-8b", run, kGiB);
  bare.baselines = {"no_such_rules"};
  said() = {};
  CHECK(!find_recompute(bare, shipped(), said()));
}

}  // namespace opledger
