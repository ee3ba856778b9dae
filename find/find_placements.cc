#include "find/find_placements.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/lists.h"
#include "base/text.h"
#include "find/eliminate.h"
#include "find/pareto.h"
#include "find/placement_costs.h"
#include "questions/fit/fit.h"
#include "run/section_formulas.h"

namespace opledger {
namespace {

/// Returns the names of declared axes with several ranks that the rules give to the layers or, first of all axes, to
/// another kept dimension.
std::vector<std::string> kept_axes(const TensorDerivation& derivation, const Datum& kept) {
  std::vector<std::string> out;
  const Mesh& mesh = derivation.annotations().mesh;
  const auto add = [&](AxisId a) { out.push_back(mesh.axes[mesh.whole(a)].name); };
  for (const AxisId a : derivation.annotations().layers) add(a);
  for (const Datum& dimension : kept.items()) {
    for (const ShardRule& rule : derivation.rules().shard) {
      if (!contains(rule.dimensions, dimension.text())) continue;
      for (const std::string& name : rule.axes) {
        const AxisList axes = derivation.axes(name);
        if (!axes.empty()) add(axes.front());
        if (!axes.empty()) break;
      }
      break;
    }
  }
  return out;
}

/// The search for one request.
class Search {
 public:
  Search(const PlacementsRequest& request, PlacedGraphs& graphs, TensorDerivation& derivation, const Datum& section, Diagnostics& diagnostics)
      : request_(request), graphs_(graphs), derivation_(derivation), section_(section), diagnostics_(diagnostics) {}

  std::optional<FoundPlacements> find() {
    const std::optional<std::vector<std::string>> axes = searched_axes();
    if (!axes) return std::nullopt;
    out_.space = placement_space(graphs_.graph(), derivation_, *axes);
    std::optional<FactorProblem> problem = placement_costs(graphs_, section_, out_.space, derivation_, diagnostics_);
    if (!problem) return std::nullopt;
    const Elimination best = eliminate(*problem);
    if (!best.error.empty() || best.states.empty()) return fail(best.error.empty() ? "every placement is impossible" : best.error);
    out_.found = trial(best.states);
    out_.estimate = best.cost;
    return std::move(out_);
  }

 private:
  std::optional<std::vector<std::string>> searched_axes() {
    const Datum* const kept = section_.find("placements")->find("kept");
    const std::vector<std::string> others = kept_axes(derivation_, *kept);
    const Mesh& mesh = derivation_.annotations().mesh;
    std::vector<std::string> out;
    for (const Axis& axis : mesh.axes) {
      if (axis.part != Axis::Part::whole || derivation_.axes(axis.name).empty()) continue;
      if (request_.axes.empty() ? !contains(others, axis.name) : contains(request_.axes, axis.name)) out.push_back(axis.name);
    }
    if (out.empty()) diagnostics_.error({}, "no axis with several ranks is left to search: name axes of the mesh");
    return out.empty() ? std::nullopt : std::optional(std::move(out));
  }

  PlacementsTrial trial(const Assignment& states) {
    PlacementsTrial out{states, {}, {}, ""};
    std::optional<Annotations> annotations = graphs_.annotate(rules_for(out_.space, graphs_.rules(), states), out.reason);
    const auto placed = annotations ? graphs_.evaluate(std::move(*annotations), out.reason) : nullptr;
    if (placed == nullptr) return out;
    out.step = role(*placed, "step"), out.memory = role(*placed, "size");
    return out;
  }

  Value role(PlacedGraphs::Placed& placed, const char* name) {
    const auto* const found = graphs_.run().program().find_role(kFitCommand, name);
    return found == nullptr ? Value{} : metric_of(placed, graphs_.run(), found->name).value_or(Value{});
  }

  std::nullopt_t fail(std::string message) { return diagnostics_.error({}, std::move(message)), std::nullopt; }

  const PlacementsRequest& request_;
  PlacedGraphs& graphs_;
  TensorDerivation& derivation_;
  const Datum& section_;
  Diagnostics& diagnostics_;
  FoundPlacements out_;
};

}  // namespace

std::optional<FoundPlacements> find_placements(const PlacementsRequest& request, Library& library, Diagnostics& diagnostics) {
  const std::unique_ptr<PlacedGraphs> graphs = PlacedGraphs::prepare(request.run, library, diagnostics);
  if (graphs == nullptr) return std::nullopt;
  const Datum* const section = find_section(graphs->run(), "find");
  if (section == nullptr || section->find("placements") == nullptr) {
    diagnostics.error({}, fmt::format("the accounting `{}` has no section `find` with `placements`, so it does not say what a placement costs", graphs->run().accounting()));
    return std::nullopt;
  }
  const std::unique_ptr<TensorDerivation> derivation = graphs->derive_tensors(diagnostics);
  if (derivation == nullptr) return std::nullopt;
  return Search(request, *graphs, *derivation, *section, diagnostics).find();
}

}  // namespace opledger
