#include "rules/emit.h"

#include <fmt/format.h>

#include "rules/reshard.h"

namespace opledger {

namespace {

/// Adds to a name: `d` for gradients, `(again)` for repeated gathers, and the number of summed terms.
std::string decorate(const Transfer& transfer, const std::string& name) {
  std::string text = transfer.gradient ? "d " + name : name;
  if (transfer.again) text += " (again)";
  if (transfer.gradient && transfer.terms > 1) text += fmt::format(" (sum of {})", transfer.terms);
  return text;
}

RuleId placing_rule(const Derivation& d, AxisId axis, const std::vector<Endpoint>& endpoints) {
  for (Endpoint endpoint : endpoints) {
    RuleId rule = rule_for(d.of(endpoint), axis);
    if (rule) return rule;
  }
  return {};
}

}  // namespace

void name_tensors(const Derivation& d, Transfer& transfer, const std::vector<TensorId>& tensors) {
  std::string name, label;
  for (TensorId t : tensors) {
    std::string separator = name.empty() ? "" : " + ";
    name += separator + d.tensor(t).name;
    label += separator + d.tensor(t).label;
  }
  transfer.name = decorate(transfer, name);
  transfer.label = decorate(transfer, label);
}

void name_weight(const Derivation& d, Transfer& transfer) {
  const std::string& name = d.graph.weights[transfer.weight].name;
  std::string segment = d.graph.segments[transfer.segment].name + ".";
  transfer.name = decorate(transfer, name);
  transfer.label = decorate(transfer, name.compare(0, segment.size(), segment) == 0 ? name.substr(segment.size()) : name);
}

Transfer tensor_transfer(const Derivation& d, Phase phase, TensorId tensor, Endpoint reader) {
  Transfer transfer;
  transfer.phase = phase;
  transfer.tensor = tensor;
  transfer.reader = reader.node;
  transfer.segment = d.tensor(tensor).segment;
  transfer.dims = d.tensor(tensor).dims;
  transfer.width = d.tensor(tensor).width;
  return transfer;
}

void Deliveries::join(Derivation& d, TensorId tensor, const Placement& target, NodeId reader) const {
  for (const Delivery& delivery : all_) {
    if (delivery.tensor != tensor || !(delivery.target == target) || !reader) continue;
    for (std::size_t i = delivery.first; i < delivery.last; ++i) {
      std::vector<NodeId>& readers = d.out.transfers[i].readers;
      if (!contains(readers, reader)) readers.push_back(reader);
    }
  }
}

void Deliveries::query_same(Derivation& d, TensorId tensor, const Placement& target) const {
  for (const Delivery& delivery : all_) {
    if (delivery.tensor == tensor && delivery.first < delivery.last) same(d, delivery.target, target);
  }
}

void emit(Derivation& d, const Transfer& base, const std::vector<Step>& steps, Endpoint reader, const std::vector<Endpoint>& makers) {
  // `endpoints` lists the reader before the makers: a collective is usually caused by the node that needs the
  // placement. The placement of each step's message is part of the step, so steps are independent here.
  std::vector<Endpoint> endpoints = {reader};
  endpoints.insert(endpoints.end(), makers.begin(), makers.end());
  for (const Step& step : steps) {
    if (step.kind == Collective::slice) continue;
    Transfer transfer = base;
    if (transfer.readers.empty() && reader.node) transfer.readers = {reader.node};
    for (Endpoint maker : makers) {
      if (maker.node) transfer.makers.push_back(maker.node);
    }
    transfer.kind = step.kind;
    transfer.axes = step.axes;
    transfer.from = step.from;
    transfer.to = step.to;
    transfer.message = step.message();
    if (!base.rule && !base.weight) transfer.rule = placing_rule(d, step.axes.front(), endpoints);
    d.out.transfers.push_back(std::move(transfer));
  }
}

}  // namespace opledger
