#include "find/find_stages.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "find/layer_costs.h"
#include "find/rule_trials.h"

namespace opledger {
namespace {

/// Most rounds of the search among neighbors, most evaluations of them, and most stages for which a layer may move between
/// any two of them.
constexpr std::size_t kMostRounds = 8, kMostDivisions = 150, kMostFreeParts = 8;

/// Evaluates divisions as whole runs; each division once.
class Trials {
 public:
  Trials(const StagesRequest& request, const LayerCosts& costs, Library& library) : request_(request), costs_(costs), library_(library) {}

  /// Returns the settings that give a run this division.
  std::vector<std::pair<std::string, std::string>> settings(const std::vector<long long>& layers) const {
    std::vector<std::string> numbers;
    for (const long long count : layers) numbers.push_back(fmt::format("{}", count));
    std::vector<std::pair<std::string, std::string>> out = {{costs_.input, fmt::format("[{}]", join(numbers, ", "))}};
    for (const auto& [input, value] : costs_.replaced) out.emplace_back(input, value);
    return out;
  }

  const StagesTrial& trial(const std::vector<long long>& layers) {
    const auto [known, fresh] = trials_.try_emplace(layers);
    if (!fresh) return known->second;
    if (request_.progress) request_.progress(trials_.size() - 1);
    Diagnostics messages;
    const std::unique_ptr<Run> run = Run::prepare(request_with(layers), library_, messages);
    known->second = evaluate(run.get(), layers, messages);
    return known->second;
  }

  /// Returns the request with this division.
  RunRequest request_with(const std::vector<long long>& layers) const {
    RunRequest out = request_.run;
    for (const auto& setting : settings(layers)) set_input(setting, out);
    return out;
  }

  StagesTrial evaluate(Run* run, const std::vector<long long>& layers, Diagnostics& messages) const {
    StagesTrial out{evaluate_trial(run, messages), layers, {}};
    if (request_.budget) out.judge(*request_.budget);
    if (run == nullptr) return out;
    Diagnostics ignored;
    out.pace = stage_paces(*run, ignored);
    return out;
  }

  std::size_t count() const { return trials_.size(); }
  bool stopped() const { return request_.stop != nullptr && *request_.stop; }

 private:
  const StagesRequest& request_;
  const LayerCosts& costs_;
  Library& library_;
  std::map<std::vector<long long>, StagesTrial> trials_;
};

/// Returns the divisions with one layer moved: between neighbors, or between any two parts of a few. Moves from the slowest
/// stage come first.
std::vector<std::vector<long long>> neighbors_of(const StagesTrial& trial, std::size_t stages) {
  const std::vector<long long>& layers = trial.layers;
  std::vector<std::pair<double, std::vector<long long>>> moves;
  for (std::size_t from = 0; from < layers.size(); ++from) {
    const std::size_t stage = from % stages;
    const double pace = stage < trial.pace.size() ? trial.pace[stage].scalar.value : 0;
    for (std::size_t to = 0; to < layers.size(); ++to) {
      const bool is_near = from + 1 == to || to + 1 == from;
      if (from == to || layers[from] == 0 || (!is_near && layers.size() > kMostFreeParts)) continue;
      moves.emplace_back(pace, layers);
      --moves.back().second[from], ++moves.back().second[to];
    }
  }
  std::stable_sort(moves.begin(), moves.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::vector<long long>> out;
  for (auto& [_, moved] : moves) out.push_back(std::move(moved));
  return out;
}

/// Moves single layers as long as the whole run gets better. Costs of single layers leave out effects of a stage as a
/// whole, such as messages at the ends of a pass, so the best division is often one layer away from their optimum.
StagesTrial improve(StagesTrial best, std::size_t stages, Trials& trials) {
  const std::size_t most = trials.count() + kMostDivisions;
  for (std::size_t round = 0; round < kMostRounds; ++round) {
    const StagesTrial start = best;
    for (const std::vector<long long>& layers : neighbors_of(start, stages)) {
      if (trials.stopped() || trials.count() >= most) return best;
      const StagesTrial& trial = trials.trial(layers);
      if (trial.is_better(best)) best = trial;
    }
    if (best.layers == start.layers) return best;
  }
  return best;
}

}  // namespace

/// Tries the optimum of the costs with and without the bound of memory, then the neighbors of the best trial so far.
std::optional<FoundStages> find_stages(const StagesRequest& request, Library& library, Diagnostics& diagnostics) {
  const std::unique_ptr<Run> run = Run::prepare(request.run, library, diagnostics);
  if (run == nullptr || !declares_trials(*run, diagnostics)) return std::nullopt;
  std::optional<LayerCosts> costs = read_layer_costs(*run, diagnostics);
  if (!costs || diagnostics.has_errors()) return std::nullopt;
  costs->capacity = request.budget.value_or(costs->capacity);
  FoundStages out;
  out.accounting = run->accounting(), out.execution = run->execution_name();
  out.stages = costs->stages, out.chunks = costs->chunks;
  Diagnostics messages;
  Trials trials(request, *costs, library);
  out.given = trials.evaluate(run.get(), costs->given, messages);
  StagesTrial best = out.given;
  for (const bool bounded : {true, false}) {
    const std::optional<Partition> partition = partition_layers(costs->problem(bounded));
    if (!partition || trials.stopped()) continue;
    if (out.estimate == 0) out.estimate = partition->slowest;
    const StagesTrial& trial = trials.trial(partition->layers);
    if (trial.is_better(best)) best = trial;
  }
  best = improve(std::move(best), static_cast<std::size_t>(costs->stages), trials);
  out.partial = trials.stopped();
  out.tried = trials.count() + 1;
  if (best.is_better(out.given)) out.settings = trials.settings(best.layers);
  out.run = out.settings.empty() ? request.run : trials.request_with(best.layers);
  out.found = out.settings.empty() ? out.given : std::move(best);
  return out;
}

}  // namespace opledger
