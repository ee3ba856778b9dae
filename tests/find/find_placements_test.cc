#include "find/find_placements.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "base/lists.h"
#include "find/placement_costs.h"
#include "find/placement_runs.h"
#include "run/section_formulas.h"
#include "schemas/document.h"
#include "tests/paths.h"
#include "tests/support/runs.h"

/// Found placements, against the whole graph, against evaluated runs, and against all assignments.
namespace opledger {
namespace {

/// A run of a model on H100 with Megatron's rules and ZeRO 1.
struct Case {
  std::string model;
  Settings mesh;  ///< Ranks of axes.
  std::vector<std::string> axes, rules = {"megatron", "zero_1"};
  std::string batch = "32";
};

const std::string kFolder = source_folder() + "/tests/data/found/";

PlacementsRequest request_of(const Case& one) {
  PlacementsRequest out;
  out.run.model = one.model, out.run.execution = kFolder + "run.yaml", out.run.system = "h100-80g-sxm";
  out.run.overrides = one.mesh;
  out.run.overrides.emplace_back("batch_size", one.batch);
  std::vector<Datum> rules;
  for (const std::string& name : one.rules) rules.push_back(Datum::scalar(name, false, {}));
  out.run.rules = Datum::list(std::move(rules), {});
  out.axes = one.axes;
  out.budget = std::numeric_limits<double>::infinity();
  return out;
}

/// The parts of a search.
struct Parts {
  PlacementsRequest request;
  Diagnostics messages;
  std::unique_ptr<PlacementRuns> runs;
  std::unique_ptr<TensorDerivation> derivation;
  PlacementSpace space;
  FactorProblem problem;

  const Graph& graph() const { return runs->graphs().graph(); }
};

std::unique_ptr<Parts> parts_of(const Case& one) {
  auto out = std::make_unique<Parts>();
  out->request = request_of(one);
  out->runs = PlacementRuns::prepare(out->request, shipped(), out->messages);
  REQUIRE_MESSAGE(out->runs, render(out->messages));
  out->derivation = out->runs->graphs().derive_tensors(out->messages);
  REQUIRE_MESSAGE(out->derivation, render(out->messages));
  out->space = placement_space(out->graph(), *out->derivation, one.axes);
  const Datum* const section = find_section(out->runs->graphs().run(), "find");
  REQUIRE(section);
  PlacedGraphs& graphs = out->runs->graphs();
  std::string too_large;
  const auto costs = PlacementCosts::measure(graphs, *section, out->space, *out->derivation, too_large, out->messages);
  REQUIRE_MESSAGE(costs, render(out->messages));
  std::string reason;
  const auto placed = graphs.evaluate(graphs.annotate(graphs.rules(), reason).value(), reason);
  REQUIRE_MESSAGE(placed, reason);
  const auto incumbent = Incumbent::read(*placed, graphs.graph(), *section, out->messages);
  REQUIRE_MESSAGE(incumbent, render(out->messages));
  out->problem = costs->tables(*incumbent);
  return out;
}

double seconds_of(const PlacementsTrial& trial) { return trial.step.is_number() ? trial.step.scalar.value : std::numeric_limits<double>::infinity(); }
double bytes_of(const PlacementsTrial& trial) { return trial.memory.is_number() ? trial.memory.scalar.value : std::numeric_limits<double>::infinity(); }

FoundPlacements found(const PlacementsRequest& request) {
  Diagnostics messages;
  const std::optional<FoundPlacements> out = find_placements(request, shipped(), messages);
  REQUIRE_MESSAGE(out, render(messages));
  return *out;
}

/// Evaluates every assignment.
std::vector<PlacementsTrial> all_trials(Parts& parts) {
  std::vector<PlacementsTrial> out;
  StateChoice states(parts.space.variables.size(), 0);
  for (bool more = true; more;) {
    if (std::isfinite(total(parts.problem.variables, parts.problem.cost, states))) out.push_back(parts.runs->trial(parts.space, states));
    more = false;
    for (std::size_t v = states.size(); v-- > 0 && !more;) {
      states[v] = (states[v] + 1) % parts.space.variables[v].states.size();
      more = states[v] != 0;
    }
  }
  return out;
}

const std::vector<Case> kTiny = {
    {kFolder + "product-pair.yaml", {{"edp", "2"}, {"tp", "4"}}, {"tp"}},
    {kFolder + "one-norm.yaml", {{"edp", "2"}, {"tp", "4"}}, {"tp"}},
    {kFolder + "two-branches.yaml", {{"edp", "4"}, {"tp", "2"}}, {"tp"}},
};

}  // namespace

TEST_CASE("find: transfers and saved copies of single tensors are those of the whole graph") {
  for (const Case& one : {Case{"llama-3-8b", {{"edp", "2"}, {"tp", "4"}}, {"tp"}}, Case{"deepseek-v2-lite", {{"edp", "2"}, {"tp", "4"}}, {"tp"}},
                          Case{"jamba-v0.1", {{"edp", "2"}, {"tp", "4"}}, {"tp"}}, Case{"llama-3-8b", {{"edp", "2"}, {"cp", "2"}, {"tp", "2"}}, {"tp"}},
                          Case{"llama-3-8b", {{"edp", "2"}, {"tp", "4"}}, {"tp"}, {"megatron", "zero_3", "recompute_mlp"}}}) {
    const auto parts = parts_of(one);
    const Graph& graph = parts->graph();
    const auto text_of = [](const Transfer& t) { return t.name + " " + to_string(t.kind) + " " + to_string(t.phase); };
    const auto saved_text = [&](const Saved& s) {
      std::string out = graph.tensors[s.tensor].name + (s.rebuilt ? " rebuilt" : "") + (s.once ? " once" : "");
      for (const auto& [dimension, axes] : s.placement.shard) out += " " + graph.name(dimension) + std::to_string(axes.size());
      return out;
    };
    const auto derivation = parts->runs->graphs().derive_tensors(parts->messages);
    std::multiset<std::string> whole, single;
    for (const Transfer& t : derivation->annotations().transfers) {
      if (t.tensor && !t.stages) whole.insert(text_of(t));
    }
    for (const Saved& s : derivation->annotations().saved) {
      if (!graph.tensors[s.tensor].data) whole.insert(saved_text(s));
    }
    CHECK(!whole.empty());
    for (const TensorId t : graph.tensors.ids()) {
      if (graph.tensors[t].data) continue;
      const TensorDerivation::Effects effects = derivation->derive(t);
      for (const Transfer& transfer : effects.transfers) single.insert(text_of(transfer));
      for (const Saved& saved : effects.saved) single.insert(saved_text(saved));
    }
    CHECK_MESSAGE(single == whole, one.model);
  }
}

TEST_CASE("find: the sum of tables is close to the evaluated run") {
  struct Limit {
    Case one;
    double mean, worst;
  };
  for (const auto& [one, mean, worst] : {Limit{{"llama-3-8b", {{"edp", "4"}, {"tp", "4"}}, {"tp"}}, 0.015, 0.05},
                                         Limit{{"llama-3-8b", {{"edp", "4"}, {"tp", "4"}}, {"tp"}, {"megatron", "zero_1", "overlap_tp_ring"}}, 0.04, 0.07},
                                         Limit{{"mamba2-2.7b", {{"edp", "4"}, {"tp", "4"}}, {"tp"}}, 0.015, 0.05},
                                         Limit{{"deepseek-v2-lite", {{"edp", "4"}, {"tp", "4"}}, {"tp"}}, 0.015, 0.05}}) {
    const auto parts = parts_of(one);
    std::mt19937 random(7);
    double sum = 0, most = 0;
    constexpr int kTries = 12;
    for (int i = 0; i < kTries; ++i) {
      StateChoice states;
      do {
        states.clear();
        for (const PlacedVariable& variable : parts->space.variables) states.push_back(random() % variable.states.size());
      } while (!std::isfinite(total(parts->problem.variables, parts->problem.cost, states)));
      const PlacementsTrial trial = parts->runs->trial(parts->space, states);
      REQUIRE_MESSAGE(trial.step.is_number(), trial.reason);
      const double gap = std::abs(total(parts->problem.variables, parts->problem.cost, states) / seconds_of(trial) - 1);
      sum += gap, most = std::max(most, gap);
    }
    CHECK_MESSAGE(sum / kTries < mean, one.model << ": " << sum / kTries);
    CHECK_MESSAGE(most < worst, one.model << ": " << most);
  }
}

TEST_CASE("find: states of the run's own rules give the run itself, and restricted spaces keep them") {
  const auto parts = parts_of({"llama-3-8b", {{"edp", "2"}, {"cp", "2"}, {"tp", "2"}}, {"cp", "tp"}});
  const auto derivation = parts->runs->graphs().derive_tensors(parts->messages);
  const StateChoice states = states_of_rules(parts->space, *derivation);
  const PlacementsTrial trial = parts->runs->trial(parts->space, states);
  REQUIRE_MESSAGE(trial.step.is_number(), trial.reason);
  CHECK(seconds_of(trial) == doctest::Approx(seconds_of(parts->runs->given())).epsilon(1e-9));
  const RestrictedSpace part = restricted(parts->space, states, {"tp"});
  for (std::size_t v = 0; v < states.size(); ++v) {
    const PlacedVariable &variable = part.space.variables[v], &all = parts->space.variables[v];
    CHECK(contains(part.whole[v], states[v]));
    CHECK(variable.states.size() <= all.states.size());
    for (std::size_t state = 0; state < variable.states.size(); ++state) CHECK(variable.states[state].split == all.states[part.whole[v][state]].split);
  }
}

TEST_CASE("find: axes with too many combinations are searched in turn") {
  PlacementsRequest request = request_of({"mixtral-8x7b", {{"edp", "2"}, {"ep", "8"}, {"tp", "4"}}, {"ep", "tp"}, {"megatron", "zero_1"}, "128"});
  const FoundPlacements answer = found(request);
  CHECK(answer.in_turn);
  REQUIRE(answer.shipped);
  CHECK(seconds_of(answer.found) < seconds_of(*answer.shipped));
  CHECK(std::any_of(answer.lines.begin(), answer.lines.end(), [](const PlacementLine& line) { return line.text == "expert: ep"; }));
}

TEST_CASE("find: no assignment of a tiny graph is better than the found one") {
  for (const Case& one : kTiny) {
    const auto parts = parts_of(one);
    std::vector<PlacementsTrial> all = all_trials(*parts);
    std::sort(all.begin(), all.end(), [](const PlacementsTrial& a, const PlacementsTrial& b) { return seconds_of(a) < seconds_of(b); });
    MESSAGE(one.model << ": " << all.size() << " assignments");
    PlacementsRequest request = request_of(one);
    CHECK(seconds_of(found(request).found) <= seconds_of(all.front()) * (1 + 1e-9));
    std::vector<double> bytes;
    for (const PlacementsTrial& trial : all) bytes.push_back(bytes_of(trial));
    std::sort(bytes.begin(), bytes.end());
    for (const double budget : {bytes.front(), bytes[bytes.size() / 20], bytes[bytes.size() / 4]}) {
      request.budget = budget * (1 + 1e-6);
      const auto best = std::find_if(all.begin(), all.end(), [&](const PlacementsTrial& trial) { return bytes_of(trial) <= *request.budget; });
      const FoundPlacements answer = found(request);
      CHECK_MESSAGE(answer.found.fits(), one.model << " within " << budget);
      CHECK_MESSAGE(seconds_of(answer.found) <= seconds_of(*best) * 1.02, one.model << " within " << budget);
    }
  }
}

TEST_CASE("find: Megatron's tensor and sequence parallelism is rediscovered, and its document is exact") {
  PlacementsRequest request = request_of({"llama-3-70b", {{"edp", "8"}, {"tp", "8"}}, {"tp"}, {"megatron", "zero_1", "overlap_tp_ring"}, "128"});
  const FoundPlacements answer = found(request);
  REQUIRE(answer.shipped);
  CHECK(answer.shipped->rules == "megatron with sequence_parallel: true");
  CHECK(seconds_of(answer.found) < seconds_of(*answer.shipped));
  CHECK(seconds_of(answer.found) > 0.99 * seconds_of(*answer.shipped));
  std::vector<std::string> lines;
  for (const PlacementLine& line : answer.lines) lines.push_back(line.text);
  for (const char* const line : {"vocab: tp", "kv_heads: tp", "heads: tp", "ffn: tp"}) CHECK_MESSAGE(std::count(lines.begin(), lines.end(), line) == 1, line);
  CHECK(lines.back() == "seq: tp");
  // The document gives a run the reported numbers.
  Diagnostics messages;
  const auto root = parse_document(std::make_shared<SourceFile>(SourceFile{"found.yaml", answer.document}), messages);
  REQUIRE_MESSAGE(root, render(messages));
  Library library = shipped();
  REQUIRE(library.provide("found", "found.yaml", *root, messages));
  request.run.rules = Datum::list({Datum::scalar("found", false, {}), Datum::scalar("zero_1", false, {}), Datum::scalar("overlap_tp_ring", false, {})}, {});
  const auto run = Run::prepare(request.run, library, messages);
  REQUIRE_MESSAGE(run, render(messages));
  CHECK(run->value("iteration_time", messages)->scalar.value == seconds_of(answer.found));
  CHECK(run->value("memory", messages)->scalar.value == bytes_of(answer.found));
}

TEST_CASE("find: placements are never slower than the run, fit the budget, and repeat exactly") {
  for (const Case& one : {Case{"mamba2-2.7b", {{"edp", "8"}, {"tp", "8"}}, {"tp"}}, Case{"deepseek-v2-lite", {{"edp", "4"}, {"tp", "8"}}, {"tp"}},
                          Case{"mixtral-8x7b", {{"edp", "2"}, {"ep", "8"}}, {"ep"}}}) {
    PlacementsRequest request = request_of(one);
    const FoundPlacements answer = found(request);
    CHECK_MESSAGE(seconds_of(answer.found) <= seconds_of(answer.given) * (1 + 1e-9), one.model);
    if (answer.shipped) CHECK_MESSAGE(seconds_of(answer.found) <= seconds_of(*answer.shipped) * (1 + 1e-9), one.model);
    CHECK(found(request).document == answer.document);
    request.budget = bytes_of(answer.given);
    const FoundPlacements within = found(request);
    CHECK(within.found.fits());
    CHECK(seconds_of(within.found) <= seconds_of(answer.given) * (1 + 1e-9));
  }
}

}  // namespace opledger
