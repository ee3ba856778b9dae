#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "accounting/filling.h"
#include "accounting/pipeline.h"
#include "base/limits.h"

namespace opledger {
namespace {

std::size_t segment_of(const Filling& f, NodeId node) { return static_cast<std::size_t>(f.graph.node(node).segment); }

/// A segment of one layer: all layers of another one that share its weight share that one.
bool is_single(const Filling& f, std::size_t s) { return f.layers[s].constant() && f.layers[s].value == 1; }

/// What each stage stores: a weight that several of its segments share is there once.
void fill_copies(Filling& f) {
  ElementTable out;
  for (std::size_t c = 0; c < f.classes.size(); ++c) {
    const std::vector<double> here = f.classes[c].layers();
    std::set<WeightId> stored;
    for (std::size_t e = 0; e < f.holdings.size(); ++e) {
      const Filling::Holding& h = f.holdings[e];
      const double layers = here[static_cast<std::size_t>(h.segment)];
      if (layers == 0 || !stored.insert(h.weight).second) continue;
      const NodeId first = f.graph.weights[static_cast<std::size_t>(h.weight)].uses[0].first;
      out.row(f.graph.weights[static_cast<std::size_t>(h.weight)].name);
      out.belongs(kStageSet, static_cast<WordId>(c));
      out.belongs(kWeightSet, static_cast<WordId>(e));
      out.belongs(kNodeSet, h.node);
      out.belongs(kSegmentSet, h.segment);
      out.belongs(kComponentSet, f.component(first));
      const bool one_for_all = is_single(f, segment_of(f, first));
      out.field("layers", count_value(one_for_all ? integer(1) : f.one_stage ? f.layers[static_cast<std::size_t>(h.segment)] : integer(layers)));
      add_marks(out, kWeightSet, false, f.notes.weights[static_cast<std::size_t>(h.weight)].marks, f.run.marks, f.evaluator);
    }
  }
  f.evaluator.set_elements(kCopySet, out.take());
}

/// What each stage keeps once for all its layers. Segments that are given the same output in the same place have one between them.
void fill_held(Filling& f) {
  ElementTable out;
  for (std::size_t c = 0; c < f.classes.size(); ++c) {
    const std::vector<double> here = f.classes[c].layers();
    std::vector<std::pair<TensorId, const Placement*>> held;
    for (std::size_t e = 0; e < f.notes.saved.size(); ++e) {
      const Saved& s = f.notes.saved[e];
      const SegmentId segment = f.graph.tensors[static_cast<std::size_t>(s.tensor)].segment;
      if (!s.once || here[static_cast<std::size_t>(segment)] == 0) continue;
      const TensorId origin = f.graph.origin(s.tensor);
      const auto same = [&](const auto& other) { return origin >= 0 && other.first == origin && *other.second == s.placement; };
      if (std::any_of(held.begin(), held.end(), same)) continue;
      held.emplace_back(origin, &s.placement);
      const NodeId reader = s.readers.empty() ? kNoWord : s.readers[0];
      out.row(f.graph.tensors[static_cast<std::size_t>(s.tensor)].name);
      out.belongs(kStageSet, static_cast<WordId>(c));
      out.belongs(kSavedSet, static_cast<WordId>(e));
      out.belongs(kNodeSet, reader);
      out.belongs(kSegmentSet, segment);
      out.belongs(kComponentSet, f.component(reader));
    }
  }
  f.evaluator.set_elements(kHeldSet, out.take());
}

}  // namespace

void split_layers(Filling& f) {
  const Scalar degree = f.sizes->degrees(f.notes.layers);
  f.one_stage = degree.constant() && degree.value == 1;  // it holds all layers, however many
  const double stages = f.structural(degree);
  std::vector<SegmentLayers> segments;
  int whole = -1;
  for (std::size_t s = 0; s < f.layers.size(); ++s) {
    const double layers = f.one_stage && f.layers[s].value != 0 ? f.layers[s].value : f.structural(f.layers[s]);
    const bool turns = f.run.rounds[s] != nullptr && !f.one_stage;
    if (s == 0 || f.graph.segments[s].whole != f.graph.segments[s - 1].whole) ++whole;
    segments.push_back({layers, f.run.repeats[s] != nullptr, turns ? f.graph.segments[s].group : -1,
                        turns ? f.structural(f.evaluator.evaluate(*f.run.rounds[s]).scalar) : 1, f.graph.segments[s].even, whole});
  }
  const Span span = f.notes.layer_rule >= 0 ? f.notes.rules[static_cast<std::size_t>(f.notes.layer_rule)].span : Span{};
  if (stages > static_cast<double>(kMaxStages)) {
    f.evaluator.diagnostics().error(span, fmt::format("a pipeline of {} stages: {} is the limit", exact(stages), kMaxStages));
    return;
  }
  long long total = 0;
  for (const SegmentLayers& s : segments) total += s.repeated ? static_cast<long long>(s.layers) : 0;
  const long long n = static_cast<long long>(stages);
  const std::optional<Pipeline> pipeline = n == 1 ? even_pipeline(total, n) : read_pipeline(f.evaluator, total, n, span);
  if (pipeline) f.classes = split_stages(segments, *pipeline);
}

void fill_stages(Filling& f) {
  ElementTable stage, share;
  for (std::size_t c = 0; c < f.classes.size(); ++c) {
    const StageClass& k = f.classes[c];
    stage.row(k.name());
    stage.field("name", f.text(k.name()));
    stage.field("position", count_value(integer(static_cast<double>(k.first()))));
    stage.field("last", count_value(integer(static_cast<double>(k.last()))));
    stage.field("count", count_value(integer(static_cast<double>(k.count()))));
    for (const StageClass::Part& part : k.parts) {
      for (std::size_t s = 0; s < part.layers.size(); ++s) {
        if (part.layers[s] == 0) continue;
        share.row(fmt::format("{} of {}", f.graph.segments[s].name, k.name()));
        share.belongs(kStageSet, static_cast<WordId>(c));
        share.belongs(kSegmentSet, static_cast<WordId>(s));
        share.field("layers", count_value(f.one_stage ? f.layers[s] : integer(part.layers[s])));
        share.field("piece", count_value(integer(static_cast<double>(part.piece))));
      }
    }
  }
  fill_copies(f);
  fill_held(f);
  f.evaluator.set_elements(kStageSet, stage.take());
  f.evaluator.set_elements(kShareSet, share.take());
}

}  // namespace opledger
