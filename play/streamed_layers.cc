#include "play/streamed_layers.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>

#include "accounting/graph_engine.h"
#include "play/simulated_inputs.h"

namespace opledger {
namespace {

/// The number of simulated layers, and the layers after whose ends the measured interval begins and ends. The layers
/// outside let the streams reach a steady state. Interleaved passes need a longer interval, because their lanes drift
/// against each other.
struct Window {
  std::size_t layers, from, to;
};
constexpr Window kSinglePass = {6, 3, 4}, kWovenPasses = {12, 2, 10};

bool is_within_limit(const InterleavedPasses& passes, std::size_t layers, const Span& at, Diagnostics& diagnostics) {
  std::size_t all = 0;
  for (const PassWork& pass : passes) all += max_tasks(pass) * layers;
  if (all <= kMaxTasks) return true;
  diagnostics.error(at, fmt::format("{} kernels and parts of messages, of {} layers, are too many to simulate: at most {}", all, layers, kMaxTasks));
  return false;
}

}  // namespace

std::optional<StreamedLayer> simulate_layer(const InterleavedPasses& passes, const Span& at, Diagnostics& diagnostics) {
  // Simulates a few equal layers and measures between the ends of two layers in the middle, where the streams have
  // reached a steady state, divided by the number of layers between. Each pass is a lane of computing. The simulator
  // lists intervals of lost computing with the task that causes each; `all.owners` leads from the task to its message
  // or copy. Losses count as far as they overlap with the measured interval of their own lane.
  const Window middle = passes.size() > 1 ? kWovenPasses : kSinglePass;
  if (!is_within_limit(passes, middle.layers, at, diagnostics)) return std::nullopt;
  OwnedTasks all;
  std::vector<LayerTasks> lanes;
  for (const PassWork& pass : passes) {
    lanes.emplace_back(all, static_cast<std::uint32_t>(lanes.size()));
    for (std::size_t i = 0; i < middle.layers; ++i) lanes.back().add(pass);
  }
  const std::optional<SimulatedStreams> simulated = simulate_streams(all.tasks);
  if (!simulated) {
    diagnostics.error(at, "kernels and messages of a layer wait for each other");
    return std::nullopt;
  }
  const double from = simulated->spans[lanes[0].end(middle.from)].end, to = simulated->spans[lanes[0].end(middle.to)].end;
  const auto layers = static_cast<double>(middle.to - middle.from);
  StreamedLayer out{(to - from) / layers, (to - from) / layers, {}, std::vector<double>(passes.size(), 0)};
  std::vector<std::vector<double>> lost;
  for (const PassWork& pass : passes) lost.emplace_back(pass.messages.size(), 0);
  for (const LostTime& l : simulated->lost) {
    const TaskOwner& owner = all.owners[l.task];  // lanes drift against each other: the interval of the own lane counts
    const double own_from = simulated->spans[lanes[owner.lane].end(middle.from)].end, own_to = simulated->spans[lanes[owner.lane].end(middle.to)].end;
    const double seconds = l.share * std::max(0.0, std::min(l.to, own_to) - std::max(l.from, own_from)) / layers;
    (owner.kind == TaskOwner::Kind::message ? lost[owner.lane][owner.index] : out.copies[owner.lane]) += seconds;
    out.computing -= seconds;
  }
  for (std::size_t p = 0; p < passes.size(); ++p) {
    for (std::size_t m = 0; m < lost[p].size(); ++m) out.messages.push_back({passes[p].messages[m].message, lost[p][m]});
  }
  return out;
}

namespace {

class SimulatedLayerInputs final : public SimulatedInputs {
 public:
  SimulatedLayerInputs(const LinkedRun& run, const GraphRun& graph) : run_(run), graph_(graph) {}

 private:
  static Value none() { return number_value(real(0), parse_unit("s")->dimension); }
  static Value as(Value::Kind kind, const Record& record) {
    Value out;
    out.kind = kind;
    out.record = &record;
    return out;
  }

  void simulate(Evaluator& evaluator, Diagnostics& messages) override {
    // Simulates one layer of every segment in each of its passes. Results are lists that formulas index: seconds lost
    // to each message, and seconds lost to copies by segment and phase. The simulation ends after a segment with an
    // error, because its results are then unusable. `absent_`: a formula requires a document that the run lacks, which
    // is no error.
    SectionFormulas section(*find_section(run_, "streams"), "streams", evaluator, messages);
    LayerWorkReader reader(section, evaluator, graph_, messages);
    create_lists(evaluator);
    for (const SegmentId s : graph_.graph->segments.ids()) {
      const auto passes = reader.read(s);
      for (std::size_t p = 0; passes && p < passes->size(); ++p) {
        const auto simulated = simulate_layer((*passes)[p], section.datum().span(), messages);
        if (simulated) add_results(*simulated, s, (*passes)[p]);
      }
      if (messages.has_errors()) break;
    }
    absent_ = section.absent();
    values_ = {{"messages", as(Value::Kind::list, messages_)}, {"copies", as(Value::Kind::list, copies_)}};
  }

  bool is_absent(const std::string&) const override { return absent_; }

  /// Creates the result lists with zeros: seconds by message, and records of phases by segment.
  void create_lists(Evaluator& evaluator) {
    for (std::size_t m = 0; m < evaluator.elements(kMessageSet).names.size(); ++m) messages_.fields.emplace_back("", none());
    for (std::size_t s = 0; s < graph_.graph->segments.size(); ++s) {
      Record& phases = copies_by_phase_.emplace_back();
      for (const std::string& phase : evaluator.program().sets[kPhaseSet]->words) phases.fields.emplace_back(phase, none());
      copies_.fields.emplace_back("", as(Value::Kind::record, phases));
    }
  }

  /// Adds the results of a layer. Seconds lost to copies are divided among the phases of a pass by their copying
  /// time.
  void add_results(const StreamedLayer& simulated, SegmentId segment, const InterleavedPasses& passes) {
    for (const auto& [message, seconds] : simulated.messages) messages_.fields[static_cast<std::size_t>(message)].second.scalar.value += seconds;
    std::vector<std::pair<std::string, Value>>& phases = copies_by_phase_[segment.index()].fields;
    for (std::size_t p = 0; p < passes.size(); ++p) {
      const double all = passes[p].copied_in + passes[p].copied_out;
      for (std::size_t i = 0; all > 0 && i < passes[p].copied.size(); ++i)
        phases[static_cast<std::size_t>(passes[p].phases[i])].second.scalar.value += simulated.copies[p] * passes[p].copied[i] / all;
    }
  }

  const LinkedRun& run_;
  const GraphRun& graph_;
  bool absent_ = false;  ///< True if a formula requires a document that the run doesn't have.
  Record messages_, copies_;
  std::deque<Record> copies_by_phase_;  ///< Phases of each segment; a deque, because `copies_` points into it.
};

}  // namespace

void provide_simulated_layers(Evaluator& evaluator, const LinkedRun& run, const GraphRun& graph) {
  const Datum* section = find_section(run, "streams");
  const Datum* gives = section != nullptr ? section->find("gives") : nullptr;
  if (gives != nullptr) provide_inputs(*gives, std::make_shared<SimulatedLayerInputs>(run, graph), "layers that are simulated on streams", evaluator, run);
}

}  // namespace opledger
