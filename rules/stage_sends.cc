#include "rules/stage_sends.h"

#include <algorithm>

#include "rules/emit.h"

namespace opledger {

namespace {

/// Adds a send to the stages of this segment, which read the tensor or pass it on.
void send(Derivation& d, const Segment& segment, TensorId input, Phase phase) {
  Transfer transfer = tensor_transfer(d, phase, input, {});
  transfer.segment = d.graph.segments.id_of(segment);
  transfer.kind = Collective::point_to_point;
  transfer.gradient = phase == Phase::agrad;
  transfer.axes = d.out.layers;
  transfer.message = d.out.inputs[input];
  transfer.rule = d.out.layer_rule;
  transfer.stages = true;
  name_tensors(d, transfer, {input});
  d.out.transfers.push_back(std::move(transfer));
}

void send_both(Derivation& d, const Segment& segment, TensorId input) {
  send(d, segment, input, Phase::forward);
  if (d.needs_gradient(input)) send(d, segment, input, Phase::agrad);
}

bool reads(const Derivation& d, const Segment& segment, TensorId origin) {
  return std::any_of(segment.inputs.begin(), segment.inputs.end(),
                     [&](TensorId input) { return d.graph.origin(input) == origin && d.graph.same_for_layers(segment, input); });
}

/// Adds sends through repeated layers between a tensor's segment and its reader, unless these layers receive it anyway.
void send_through(Derivation& d, const Segment& reader, TensorId input, std::set<std::pair<SegmentId, TensorId>>& passed) {
  TensorId origin = d.graph.origin(input);
  for (SegmentId s = d.tensor(origin).segment + 1; s < d.graph.segments.id_of(reader); ++s) {
    const Segment& between = d.graph.segments[s];
    if (between.repeat && !reads(d, between, origin) && passed.emplace(s, origin).second) send_both(d, between, input);
  }
}

}  // namespace

void derive_stages(Derivation& d) {
  if (d.out.layers.empty()) return;
  std::set<std::pair<SegmentId, TensorId>> passed;
  for (const Segment& segment : d.graph.segments) {
    for (std::size_t i = 0; i < segment.inputs.size(); ++i) {
      bool produced_before = i < segment.sources.size() && segment.sources[i];
      if (d.tensor(segment.inputs[i]).data || !(segment.repeat || produced_before)) continue;
      send_both(d, segment, segment.inputs[i]);
      if (produced_before) send_through(d, segment, segment.inputs[i], passed);
    }
  }
}

}  // namespace opledger
