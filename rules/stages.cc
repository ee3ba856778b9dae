#include "rules/stages.h"

#include "rules/emit.h"

namespace opledger {

namespace {

void send(Derivation& d, const Segment& segment, TensorId input, Phase phase) {
  Transfer transfer = tensor_transfer(d, phase, input, {});
  transfer.segment = static_cast<SegmentId>(&segment - d.graph.segments.data());
  transfer.kind = Collective::point_to_point;
  transfer.gradient = phase == Phase::agrad;
  transfer.axes = d.out.layers;
  transfer.message = d.out.inputs[static_cast<std::size_t>(input)];
  transfer.rule = d.out.layer_rule;
  transfer.stages = true;
  name_tensors(d, transfer, {input});
  d.out.transfers.push_back(std::move(transfer));
}

}  // namespace

void derive_stages(Derivation& d) {
  if (d.out.layers.empty()) return;
  for (const Segment& segment : d.graph.segments) {
    for (std::size_t i = 0; i < segment.inputs.size(); ++i) {
      bool made_before = i < segment.sources.size() && segment.sources[i] >= 0;
      if (d.tensor(segment.inputs[i]).data || !(segment.repeat || made_before)) continue;
      send(d, segment, segment.inputs[i], Phase::forward);
      if (d.needs_gradient(segment.inputs[i])) send(d, segment, segment.inputs[i], Phase::agrad);
    }
  }
}

}  // namespace opledger
