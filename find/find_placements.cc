#include "find/find_placements.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/lists.h"
#include "base/text.h"
#include "find/eliminate.h"
#include "find/pareto.h"
#include "find/placement_costs.h"
#include "find/placement_runs.h"
#include "run/section_formulas.h"

namespace opledger {
namespace {

constexpr double kResolution = 1024 * 1024;  // Bytes to which sizes are rounded on fronts.
constexpr int kMostIncumbents = 4;           // Solutions, each with another incumbent.
constexpr int kMostBudgets = 8;              // Fronts that are cut at corrected budgets.
constexpr double kNearOptimum = 0.02;        // Share of the optimum that single changes may cost by the tables.
constexpr std::size_t kMostMoves = 60;       // Evaluations of single changes.
constexpr double kSameCost = 1e-12;          // Differences within this share of the optimum are rounding.
constexpr double kSameOptimum = 1e-6;        // Assignments within this share of the optimum count as equally good.

/// Returns whether a line gives an axis to dimensions other than those of a rule, such as the experts of a layer.
bool is_given_elsewhere(const TensorDerivation& derivation, const ShardRule& rule, AxisId axis) {
  const auto gives = [&](const ShardRule& other) {
    const auto is_shared = [&](const std::string& dimension) { return contains(rule.dimensions, dimension); };
    const auto has_axis = [&](const std::string& name) { return contains(derivation.axes(name), axis); };
    return std::none_of(other.dimensions.begin(), other.dimensions.end(), is_shared) && std::any_of(other.axes.begin(), other.axes.end(), has_axis);
  };
  return std::any_of(derivation.rules().shard.begin(), derivation.rules().shard.end(), gives);
}

/// Returns the names of declared axes with several ranks that are not searched: the axes of the layers, and the outermost
/// axis of each kept dimension, unless the rules also give this axis to another dimension.
std::vector<std::string> kept_axes(const TensorDerivation& derivation, const Datum& kept) {
  std::vector<std::string> out;
  const Mesh& mesh = derivation.annotations().mesh;
  const auto add = [&](AxisId a) { out.push_back(mesh.axes[mesh.whole(a)].name); };
  for (const AxisId a : derivation.annotations().layers) add(a);
  for (const Datum& dimension : kept.items()) {
    const auto gives = [&](const ShardRule& rule) { return contains(rule.dimensions, dimension.text()); };
    const auto rule = std::find_if(derivation.rules().shard.begin(), derivation.rules().shard.end(), gives);
    if (rule == derivation.rules().shard.end()) continue;
    const auto name = std::find_if(rule->axes.begin(), rule->axes.end(), [&](const std::string& axis) { return !derivation.axes(axis).empty(); });
    if (name == rule->axes.end()) continue;
    const AxisId first = derivation.axes(*name).front();
    if (!is_given_elsewhere(derivation, *rule, first)) add(first);
  }
  return out;
}

/// Returns the axes to search. Empty, with errors, if the request names a wrong axis or none is left.
std::vector<std::string> searched_axes(const PlacementsRequest& request, const TensorDerivation& derivation, const Datum& section, Diagnostics& diagnostics) {
  const std::vector<std::string> kept = kept_axes(derivation, *section.find("placements")->find("kept"));
  std::vector<std::string> out, all;
  for (const Axis& axis : derivation.annotations().mesh.axes) {
    if (axis.part != Axis::Part::whole || derivation.axes(axis.name).empty()) continue;
    all.push_back(axis.name);
    if (request.axes.empty() ? !contains(kept, axis.name) : contains(request.axes, axis.name)) out.push_back(axis.name);
  }
  for (const std::string& name : request.axes) {
    if (contains(all, name)) continue;
    diagnostics.error({}, fmt::format("the mesh has no axis `{}` with several ranks{}", name, suggestion(name, all)));
    return {};
  }
  if (all.empty()) {
    diagnostics.error({}, "no axis is left to search, because no axis of the mesh has several ranks");
  } else if (out.empty()) {
    diagnostics.error({}, fmt::format("no axis is left to search, because rules of the run keep {}: name axes with `--axes`", join(kept, ", ")));
  }
  return out;
}

/// The search of one request.
class PlacementSearch {
 public:
  PlacementSearch(const RunRequest& run, PlacementRuns& runs, TensorDerivation& derivation, const Datum& section, Diagnostics& diagnostics)
      : run_(run), runs_(runs), graphs_(runs.graphs()), derivation_(derivation), section_(section), diagnostics_(diagnostics) {}

  std::optional<FoundPlacements> find(const std::vector<std::string>& axes) {
    out_.axes = axes;
    out_.space = placement_space(graphs_.graph(), derivation_, axes);
    out_.accounting = graphs_.run().accounting(), out_.execution = graphs_.run().execution_name();
    out_.budget = number_value(real(runs_.budget()), runs_.given().memory.unit);
    out_.given = runs_.given();
    const StateChoice given = states_of_rules(out_.space, derivation_);
    PlacementsTrial best;
    if (!search(best) && (too_large_.empty() || !search_in_turn(given, best))) return std::nullopt;
    improve(best);
    if (!best.states.empty()) write(best);
    compare();
    if (!out_.found.fits()) {
      out_.problem = fmt::format("no placement fits: {} needs {} on a rank that may use {}", out_.found.rules, human(out_.found.memory), human(out_.budget));
    }
    out_.tried = runs_.count();
    out_.partial = runs_.stopped();
    return std::move(out_);
  }

 private:
  /// Searches the space.
  bool search(PlacementsTrial& best) {
    too_large_.clear();
    costs_ = PlacementCosts::measure(graphs_, section_, out_.space, derivation_, too_large_, diagnostics_);
    return costs_ != nullptr && solve_by_rounds(best);
  }

  /// Searches one axis after the other, where the space of all is too large: from the run itself, and from no placement.
  /// Each search keeps the other axes, until no axis has a better placement.
  bool search_in_turn(const StateChoice& given, PlacementsTrial& best) {
    const PlacementSpace all = std::move(out_.space);
    out_.in_turn = true;
    PlacementSpace best_space;
    FactorProblem best_problem;
    bool is_binding_for_best = false;
    for (StateChoice states : {given, StateChoice(given.size(), 0)}) {
      if (!best.states.empty() && runs_.stopped()) break;
      PlacementsTrial reached;
      for (std::size_t turn = 0, last_better = 0; turn < last_better + all.axes.size(); ++turn) {
        if (turn > 0 && runs_.stopped()) break;
        RestrictedSpace part = restricted(all, states, {all.axes[turn % all.axes.size()]});
        out_.space = std::move(part.space);
        PlacementsTrial trial;
        if (!search(trial)) return too_large_.empty() ? false : fail(too_large_ + ": search other axes");
        if (!reached.states.empty() && !trial.is_better(reached)) continue;
        reached = trial, last_better = turn;
        for (std::size_t v = 0; v < states.size(); ++v) states[v] = part.whole[v][trial.states[v]];
        if (!best.states.empty() && !trial.is_better(best)) continue;
        best = trial, best_space = out_.space, best_problem = problem_, is_binding_for_best = is_budget_binding_;
      }
    }
    out_.space = std::move(best_space), problem_ = std::move(best_problem), is_budget_binding_ = is_binding_for_best;
    return !best.states.empty();
  }

  /// Solves with the run itself as incumbent, and then with the best run, until the tables stay equal.
  bool solve_by_rounds(PlacementsTrial& best) {
    std::optional<Incumbent> incumbent = incumbent_of(graphs_.rules());
    for (int i = 0; i < kMostIncumbents && (i == 0 || !runs_.stopped()); ++i) {  // Even a stopped search has an answer.
      if (!incumbent) return false;
      problem_ = costs_->tables(*incumbent);
      if (!solve(best)) return false;
      std::optional<Incumbent> next = incumbent_of(rules_for(out_.space, graphs_.rules(), best.states));
      if (!next || *next == *incumbent) return next.has_value();
      incumbent = std::move(next);
    }
    return true;
  }

  std::optional<Incumbent> incumbent_of(const RuleSet& rules) {
    std::string reason;
    std::optional<Annotations> annotations = graphs_.annotate(rules, reason);
    const std::unique_ptr<PlacedGraphs::Placed> placed = annotations ? graphs_.evaluate(std::move(*annotations), reason) : nullptr;
    if (placed == nullptr) return diagnostics_.error({}, "the run can't be evaluated: " + reason), std::nullopt;
    return Incumbent::read(*placed, graphs_.graph(), section_, diagnostics_);
  }

  /// Solves the sum exactly. If the optimum does not fit, the fronts of bytes and seconds are cut at the budget. The
  /// tables leave out the tensors that live at the peak of memory only, so the bound of the cut falls by the excess of the
  /// evaluated run, and at least by its bytes that no table has. Returns false if elimination needs too large tables
  /// (`too_large_`) or, with errors, if nothing is possible.
  bool solve(PlacementsTrial& best) {
    const Elimination fastest = eliminate(problem_);
    if (!fastest.error.empty()) {
      too_large_ = fastest.error;
      return false;
    }
    if (fastest.states.empty()) return fail("every combination of placements is impossible");
    PlacementsTrial last = runs_.trial(out_.space, fastest.states);
    if (best.states.empty() || last.is_better(best)) best = last;
    is_budget_binding_ = !last.fits();
    double bound = runs_.budget();
    for (int i = 0; i < kMostBudgets && !last.fits() && !runs_.stopped() && last.memory.is_number(); ++i) {
      const double untracked = last.memory.scalar.value - total(problem_.variables, problem_.size, last.states);
      const double excess = i == 0 ? 0 : std::max(0.0, last.memory.scalar.value - runs_.budget());
      bound = std::min(bound - excess, runs_.budget() - untracked);
      const ParetoFront front = pareto(problem_, {bound, kResolution});
      if (!front.error.empty()) return solve_by_multiplier(best), true;
      if (front.points.empty()) return take_smallest(best), true;
      last = runs_.trial(out_.space, front.points.back().states);
      if (last.is_better(best)) best = last;
    }
    return true;
  }

  /// Takes the assignment with the fewest bytes, for a budget that nothing fits.
  void take_smallest(PlacementsTrial& best) {
    const ParetoFront front = pareto(problem_, {.resolution = kResolution});
    if (front.points.empty()) return;
    const PlacementsTrial trial = runs_.trial(out_.space, front.points.front().states);
    if (trial.is_better(best)) best = trial;
  }

  /// Bisects the cost of a unit of size until the optimum fits. Used where fronts grow too long; it misses points above
  /// the lower convex hull. The least multiplier lies within nine orders of magnitude below the first one.
  void solve_by_multiplier(PlacementsTrial& best) {
    constexpr double kFirst = 1e-6, kRange = 1e-9, kPrecision = 1.05;
    constexpr int kMostTrials = 40;
    double low = 0, high = kFirst;
    for (int i = 0; i < kMostTrials && !runs_.stopped(); ++i) {
      const double multiplier = low == 0 ? high : std::sqrt(low * high);
      const Elimination at = eliminate(problem_, {.multiplier = multiplier});
      if (at.states.empty()) return;
      const PlacementsTrial trial = runs_.trial(out_.space, at.states);
      if (trial.is_better(best)) best = trial;
      (trial.fits() ? high : low) = multiplier;
      if (i == 0 && !trial.fits()) return;
      if (low == 0) low = high * kRange;
      if (high / low < kPrecision) return;
    }
  }

  /// Changes the state of single nodes as long as the evaluated run gets better. Tables leave out what several tensors
  /// share, so the best run is often one change away from their optimum.
  void improve(PlacementsTrial& best) {
    std::size_t moves = 0;
    for (bool better = true; better;) {
      better = false;
      // A run that does not fit must get smaller, not faster.
      const std::vector<Factor>& tables = best.fits() ? problem_.cost : problem_.size;
      const double least = total(problem_.variables, tables, best.states);
      for (std::size_t v = 0; v < best.states.size(); ++v) {
        for (std::size_t state = 0; state < problem_.variables[v].states; ++state) {
          StateChoice changed = best.states;
          changed[v] = state;
          if (state == best.states[v] || total(problem_.variables, tables, changed) > least * (1 + kNearOptimum)) continue;
          if (!std::isfinite(total(problem_.variables, problem_.cost, changed))) continue;
          if (moves++ >= kMostMoves || runs_.stopped()) return;
          const PlacementsTrial trial = runs_.trial(out_.space, changed);
          if (!trial.is_better(best)) continue;
          best = trial, better = true;
        }
      }
    }
  }

  /// Writes the found assignment as a document and evaluates the document as a whole run.
  void write(const PlacementsTrial& best) {
    const StateChoice states = with_fewest_exceptions(best);
    const PlacementDocument document = compact_document(derivation_, out_.space, states);
    out_.estimate = total(problem_.variables, problem_.cost, states);
    explain(document, states);
    std::vector<std::string> comments;
    for (const PlacementLine& line : out_.lines)
      comments.push_back(line.has_other ? fmt::format("else {}: +{:.3g} ms a step", line.otherwise, 1e3 * line.more_seconds) : "");
    const std::string others = runs_.kept_sections();
    // Lines without a mode are shorter; they are errors where an axis divides a dimension of some nodes only.
    for (const bool skips : {false, true}) {
      const auto text = [&](const std::vector<std::string>& head) { return yaml_of(document, graphs_.graph(), out_.space, {head, comments, others, skips}); };
      out_.found = runs_.trial_of_text(text({}));
      if (!out_.found.step.is_number()) continue;
      out_.document = text(head_of_document(run_, out_.found, out_.budget, runs_.replaced()));
      break;
    }
    out_.found.states = states;
    out_.replaced = runs_.replaced();
  }

  /// Returns an equally good assignment that needs fewer exceptions of the document: states that its lines give cost
  /// nothing, others a little.
  StateChoice with_fewest_exceptions(const PlacementsTrial& best) {
    const PlacementDocument document = compact_document(derivation_, out_.space, best.states);
    if (document.exceptions.empty() || is_budget_binding_) return best.states;
    FactorProblem tied = problem_;
    const double cost = total(problem_.variables, problem_.cost, best.states);
    const std::vector<std::vector<bool>> agree = states_of_lines(derivation_, out_.space, document.lines);
    for (std::size_t v = 0; v < agree.size(); ++v) {
      Factor factor{problem_.variables[v].name, {v}, {}};
      for (const bool agrees : agree[v]) factor.entries.push_back(agrees ? 0 : cost * kSameOptimum / static_cast<double>(agree.size()));
      tied.cost.push_back(std::move(factor));
    }
    const Elimination other = eliminate(tied);
    if (other.states.empty()) return best.states;
    const PlacementsTrial trial = runs_.trial(out_.space, other.states);
    const bool is_as_good = trial.fits() && trial.step.scalar.value <= best.step.scalar.value * (1 + kSameOptimum);
    return is_as_good ? other.states : best.states;
  }

  /// Computes what the next best state of the nodes of each line costs. Under a budget that decides, a faster state costs
  /// bytes instead, so no cost is stated.
  void explain(const PlacementDocument& document, const StateChoice& states) {
    const MinMarginals marginals = is_budget_binding_ ? MinMarginals{} : min_marginals(problem_);
    const double optimum = marginals.cost.empty() ? 0 : *std::min_element(marginals.cost.front().begin(), marginals.cost.front().end());
    const auto add = [&](std::string text, const std::vector<std::size_t>& variables, FunctionRef<bool(const Split&)> is_same) {
      PlacementLine line{std::move(text), "", std::numeric_limits<double>::infinity(), false};
      for (const std::size_t v : marginals.cost.empty() ? std::vector<std::size_t>() : variables) {
        for (std::size_t state = 0; state < marginals.cost[v].size(); ++state) {
          const double difference = marginals.cost[v][state] - optimum;
          const double more = difference > kSameCost * optimum ? difference : 0;
          const PlacedState& other = out_.space.variables[v].states[state];
          if (other.split == out_.space.variables[v].states[states[v]].split || is_same(other.split) || more >= line.more_seconds) continue;
          line.otherwise = text_of(other.split), line.more_seconds = more, line.has_other = true;
        }
      }
      out_.lines.push_back(std::move(line));
    };
    for (const PlacementDocument::Exception& exception : document.exceptions) {
      std::vector<std::string> names;
      for (const std::size_t v : exception.variables) names.push_back(out_.space.variables[v].name);
      add(join(names, ", ") + ": " + text_of(exception.split), exception.variables, [](const Split&) { return false; });
    }
    for (const PlacementDocument::Line& line : document.lines) {
      add(line.dimension + ": " + line.axis, line.variables, [&](const Split& split) {
        return std::any_of(split.begin(), split.end(), [&](const auto& entry) { return entry.first == line.dimension && contains(entry.second, line.axis); });
      });
    }
  }

  static std::string text_of(const Split& split) {
    std::vector<std::string> out;
    for (const auto& [dimension, axes] : split) {
      for (const std::string& axis : axes) out.push_back(dimension + "/" + axis);
    }
    return out.empty() ? "unsharded" : join(out, " ");
  }

  /// Compares with the run itself and with existing documents. The best of all is the answer.
  void compare() {
    out_.searched = out_.found;
    out_.shipped = runs_.best_document();
    out_.run = runs_.without_placing();
    const auto prefer = [&](const PlacementsTrial& other, const RunRequest& run) {
      if (!other.is_better(out_.found)) return;
      out_.found = other, out_.run = run;
      out_.document.clear(), out_.lines.clear();
    };
    prefer(out_.given, run_);
    if (out_.shipped) prefer(*out_.shipped, runs_.request_of_best());
  }

  bool fail(std::string message) { return diagnostics_.error({}, std::move(message)), false; }

  const RunRequest& run_;
  PlacementRuns& runs_;
  PlacedGraphs& graphs_;
  TensorDerivation& derivation_;
  const Datum& section_;
  Diagnostics& diagnostics_;
  std::unique_ptr<PlacementCosts> costs_;
  std::string too_large_;    ///< Why the space can't be searched at once.
  FactorProblem problem_;    ///< Tables with the last incumbent.
  bool is_budget_binding_ = false;  ///< The fastest placements of the space do not fit the budget.
  FoundPlacements out_;
};

}  // namespace

std::optional<FoundPlacements> find_placements(const PlacementsRequest& request, Library& library, Diagnostics& diagnostics) {
  const std::unique_ptr<PlacementRuns> runs = PlacementRuns::prepare(request, library, diagnostics);
  if (runs == nullptr) return std::nullopt;
  const LinkedRun& run = runs->graphs().run();
  const Datum* const section = find_section(run, "find");
  if (section == nullptr || section->find("placements") == nullptr) {
    diagnostics.error({},
                      fmt::format("the accounting `{}` has no section `find` with `placements`, so it does not say what a placement costs", run.accounting()));
    return std::nullopt;
  }
  // Mistakes in axes are reported before runs take time.
  std::unique_ptr<TensorDerivation> derivation = runs->graphs().derive_tensors(diagnostics);
  const std::vector<std::string> axes = derivation != nullptr ? searched_axes(request, *derivation, *section, diagnostics) : std::vector<std::string>();
  if (axes.empty() || !runs->compare_documents(diagnostics)) return std::nullopt;
  // The search needs a derivation with the best options.
  derivation = runs->graphs().derive_tensors(diagnostics);
  return derivation != nullptr ? PlacementSearch(request.run, *runs, *derivation, *section, diagnostics).find(axes) : std::nullopt;
}

}  // namespace opledger
