#include "play/streamed_layers.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>

#include "accounting/graph_engine.h"
#include "play/simulated_inputs.h"

namespace opledger {
namespace {

/// Enough layers that those in the middle pass alike; those that are looked at are between the ends of two others. What is woven of two microbatches is not quite in step.
struct Window {
  std::size_t layers, from, to;
};
constexpr Window kSinglePass = {6, 3, 4}, kWovenPasses = {12, 2, 10};

bool is_small(const InterleavedPasses& passes, std::size_t layers, const Span& at, Diagnostics& diagnostics) {
  std::size_t all = 0;
  for (const PassWork& pass : passes) all += max_tasks(pass) * layers;
  if (all <= kMaxTasks) return true;
  diagnostics.error(at,
                    fmt::format("{} kernels and parts of messages, of {} layers, are too many to be played on streams: at most {}", all, layers, kMaxTasks));
  return false;
}

}  // namespace

std::optional<StreamedLayer> simulate_layer(const InterleavedPasses& passes, const Span& at, Diagnostics& diagnostics) {
  const Window middle = passes.size() > 1 ? kWovenPasses : kSinglePass;
  if (!is_small(passes, middle.layers, at, diagnostics)) return std::nullopt;
  OwnedTasks all;
  std::vector<LayerTasks> lanes;
  for (const PassWork& pass : passes) {
    lanes.emplace_back(all, static_cast<std::uint32_t>(lanes.size()));
    for (std::size_t i = 0; i < middle.layers; ++i) lanes.back().add(pass);
  }
  const std::optional<SimulatedStreams> played = simulate_streams(all.tasks);
  if (!played) {
    diagnostics.error(at, "kernels and messages of a layer wait for each other");
    return std::nullopt;
  }
  const double from = played->spans[lanes[0].end(middle.from)].end, to = played->spans[lanes[0].end(middle.to)].end;
  const auto layers = static_cast<double>(middle.to - middle.from);
  StreamedLayer out{(to - from) / layers, (to - from) / layers, {}, std::vector<double>(passes.size(), 0)};
  std::vector<std::vector<double>> lost;
  for (const PassWork& pass : passes) lost.emplace_back(pass.messages.size(), 0);
  for (const LostTime& l : played->lost) {
    const TaskOwner& owner = all.owners[l.task];  // of its own lane's layers: two lanes are not quite in step
    const double own_from = played->spans[lanes[owner.lane].end(middle.from)].end, own_to = played->spans[lanes[owner.lane].end(middle.to)].end;
    const double seconds = l.share * std::max(0.0, std::min(l.to, own_to) - std::max(l.from, own_from)) / layers;
    (owner.what == TaskOwner::What::message ? lost[owner.lane][owner.index] : out.copies[owner.lane]) += seconds;
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
  SimulatedLayerInputs(const Linked& run, const GraphRun& graph) : run_(run), graph_(graph) {}

 private:
  static Value none() { return number_value(real(0), parse_unit("s")->dimension); }
  static Value as(Value::Kind kind, const Record& record) {
    Value out;
    out.kind = kind;
    out.record = &record;
    return out;
  }

  void simulate(Evaluator& evaluator, Diagnostics& messages) override {
    SectionFormulas section(*find_section(run_, "streams"), "streams", evaluator, messages);
    LayerWorkReader reader(section, evaluator, graph_, messages);
    lay_out(evaluator);
    for (const SegmentId s : graph_.graph->segments.ids()) {
      const auto passes = reader.read(s);
      for (std::size_t p = 0; passes && p < passes->size(); ++p) {
        const auto played = simulate_layer((*passes)[p], section.datum().span(), messages);
        if (played) keep(*played, s, (*passes)[p]);
      }
      if (messages.has_errors()) break;
    }
    absent_ = section.absent();
    values_ = {{"messages", as(Value::Kind::list, messages_)}, {"copies", as(Value::Kind::list, copies_)}};
  }

  bool is_absent(const std::string&) const override { return absent_; }

  /// Lists that formulas index by an element: of messages; of segments, and of each the phases.
  void lay_out(Evaluator& evaluator) {
    for (std::size_t m = 0; m < evaluator.elements(kMessageSet).names.size(); ++m) messages_.fields.emplace_back("", none());
    for (std::size_t s = 0; s < graph_.graph->segments.size(); ++s) {
      Record& phases = copies_by_phase_.emplace_back();
      for (const std::string& phase : evaluator.program().sets[kPhaseSet]->words) phases.fields.emplace_back(phase, none());
      copies_.fields.emplace_back("", as(Value::Kind::record, phases));
    }
  }

  /// Of copies each phase has the share of its own.
  void keep(const StreamedLayer& played, SegmentId segment, const InterleavedPasses& passes) {
    for (const auto& [message, seconds] : played.messages) messages_.fields[static_cast<std::size_t>(message)].second.scalar.value += seconds;
    std::vector<std::pair<std::string, Value>>& phases = copies_by_phase_[segment.index()].fields;
    for (std::size_t p = 0; p < passes.size(); ++p) {
      const double all = passes[p].copied_in + passes[p].copied_out;
      for (std::size_t i = 0; all > 0 && i < passes[p].copied.size(); ++i)
        phases[static_cast<std::size_t>(passes[p].phases[i])].second.scalar.value += played.copies[p] * passes[p].copied[i] / all;
    }
  }

  const Linked& run_;
  const GraphRun& graph_;
  bool absent_ = false;  ///< It would take a document that the run has none of.
  Record messages_, copies_;
  std::deque<Record> copies_by_phase_;  ///< By segment.
};

}  // namespace

void provide_streamed(Evaluator& evaluator, const Linked& run, const GraphRun& graph) {
  const Datum* section = find_section(run, "streams");
  const Datum* gives = section != nullptr ? section->find("gives") : nullptr;
  if (gives != nullptr) provide_inputs(*gives, std::make_shared<SimulatedLayerInputs>(run, graph), "layers that are played on streams", evaluator, run);
}

}  // namespace opledger
