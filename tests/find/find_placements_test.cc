#include "find/find_placements.h"

#include <cstdlib>
#include <random>

#include "find/placement_costs.h"
#include "run/section_formulas.h"
#include "tests/paths.h"
#include "tests/support/runs.h"

/// Found placements, against sums of tables and against all assignments.
namespace opledger {
namespace {

PlacementsRequest request(const std::string& model, const std::string& execution, const Settings& settings, std::vector<std::string> axes) {
  PlacementsRequest out;
  out.run.model = model, out.run.execution = execution, out.run.system = "h100-80g-sxm", out.run.overrides = settings;
  out.axes = std::move(axes);
  return out;
}

}  // namespace

TEST_CASE("find: placements, trial") {
  const char* model = std::getenv("FIND_MODEL");
  if (model == nullptr) return;
  Diagnostics messages;
  PlacementsRequest asked = request(model, std::getenv("FIND_EXECUTION"), {}, {});
  const auto graphs = PlacedGraphs::prepare(asked.run, shipped(), messages);
  REQUIRE_MESSAGE(graphs, render(messages));
  const auto derivation = graphs->derive_tensors(messages);
  REQUIRE_MESSAGE(derivation, render(messages));
  // Transfers of single tensors are those of the whole graph.
  std::multiset<std::string> whole, single;
  for (const Transfer& t : derivation->annotations().transfers)
    if (t.tensor && !t.stages) whole.insert(t.name + " " + to_string(t.kind) + " " + to_string(t.phase));
  const Graph& graph = graphs->graph();
  for (const TensorId t : graph.tensors.ids()) {
    if (graph.tensors[t].data) continue;
    for (const Transfer& x : derivation->derive(t).transfers) single.insert(x.name + " " + to_string(x.kind) + " " + to_string(x.phase));
  }
  for (const auto& w : whole) if (single.count(w) != whole.count(w)) MESSAGE("whole " << w << " " << whole.count(w) << " " << single.count(w));
  for (const auto& w : single) if (single.count(w) != whole.count(w)) MESSAGE("single " << w << " " << whole.count(w) << " " << single.count(w));
  const Datum* section = find_section(graphs->run(), "find");
  std::vector<std::string> axes;
  for (std::string at = std::getenv("FIND_AXES"); !at.empty();) {
    const auto comma = at.find(',');
    axes.push_back(at.substr(0, comma));
    at = comma == std::string::npos ? "" : at.substr(comma + 1);
  }
  const PlacementSpace space = placement_space(graph, *derivation, axes);
  for (const auto& v : space.variables) {
    std::string text;
    for (const auto& s : v.states) {
      text += " [";
      for (const auto& [d, a] : s) for (const auto& x : a) text += d + "/" + x + " ";
      text += "]";
    }
    MESSAGE(v.name << text);
  }
  const auto problem = placement_costs(*graphs, *section, space, *derivation, messages);
  REQUIRE_MESSAGE(problem, render(messages));
  asked.axes = axes;
  const auto found = find_placements(asked, shipped(), messages);
  REQUIRE_MESSAGE(found, render(messages));
  MESSAGE("estimate " << found->estimate << " engine " << (found->found.step.is_number() ? found->found.step.scalar.value : -1) << " " << found->found.reason << " memory " << (found->found.memory.is_number() ? found->found.memory.scalar.value / (1 << 30) : -1));
  for (std::size_t v = 0; v < found->space.variables.size(); ++v) {
    std::string text;
    for (const auto& [d, a] : found->space.variables[v].states[found->found.states[v]]) for (const auto& x : a) text += d + "/" + x + " ";
    MESSAGE(found->space.variables[v].name << ": " << text);
  }
  std::mt19937 random(1);
  double mean = 0, worst = 0, offset = 0;
  for (int i = 0; i < 24; ++i) {
    Assignment states = found->found.states;
    double cost = 0;
    do {
      for (std::size_t v = 0; v < states.size(); ++v) if (i % 2 == 0 || random() % 8 == 0) states[v] = random() % space.variables[v].states.size();
      cost = total(problem->variables, problem->cost, states);
    } while (!std::isfinite(cost));
    std::string reason;
    auto annotations = graphs->annotate(rules_for(space, graphs->rules(), states), reason);
    auto placed = annotations ? graphs->evaluate(std::move(*annotations), reason) : nullptr;
    if (!placed) { MESSAGE("failed: " << reason); continue; }
    const auto step = metric_of(*placed, graphs->run(), "iteration_time");
    REQUIRE(step);
    const auto memory = metric_of(*placed, graphs->run(), "memory");
    const double engine = step->scalar.value;
    if (i == 0) offset = 0;
    MESSAGE(i << " sum " << cost << " engine " << engine << " ratio " << cost / engine << " bytes " << total(problem->variables, problem->size, states) / (1 << 30) << " engine " << memory->scalar.value / (1 << 30));
    mean += std::abs(cost / engine - 1) / 24, worst = std::max(worst, std::abs(cost / engine - 1));
  }
  MESSAGE("mean " << mean << " worst " << worst << " " << offset);
}

}  // namespace opledger
