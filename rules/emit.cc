#include "rules/emit.h"

#include <fmt/format.h>

#include <algorithm>

namespace opledger {

namespace {

std::string decorate(const Transfer& transfer, const std::string& name) {
  std::string text = transfer.gradient ? "d " + name : name;
  if (transfer.again) text += " (again)";
  if (transfer.gradient && transfer.terms > 1) text += fmt::format(" (sum of {})", transfer.terms);
  return text;
}

bool speaks_of(const Derivation& d, const Match& match, Party party) {
  if (party.node >= 0) return matches(match, d.graph, party.node);
  return party.border >= 0 && matches(match, d.graph, d.tensor(party.border).dims);
}

/// The last rule that speaks of one of the parties and of all the axes decides; one that names no axis speaks of any.
std::string lowering(const Derivation& d, const Step& step, const std::vector<Party>& parties) {
  std::string how;
  for (const LowerRule& rule : d.rules.lower) {
    auto named = std::find_if(rule.how.begin(), rule.how.end(), [&](const auto& entry) { return entry.first == step.kind; });
    if (named == rule.how.end()) continue;
    AxisList axes = d.out.mesh.expand(rule.axes);
    bool covered = rule.axes.empty() || std::all_of(step.axes.begin(), step.axes.end(), [&](AxisId a) { return contains_axis(axes, a); });
    bool meant = std::any_of(parties.begin(), parties.end(), [&](Party party) { return speaks_of(d, rule.match, party); });
    if (covered && meant) how = named->second;
  }
  return how;
}

RuleId placing_rule(const Derivation& d, AxisId axis, const std::vector<Party>& parties) {
  for (Party party : parties) {
    RuleId rule = rule_for(d.of(party), axis);
    if (rule >= 0) return rule;
  }
  return -1;
}

}  // namespace

void name_tensors(const Derivation& d, Transfer& transfer, const std::vector<TensorId>& tensors) {
  std::string name, label;
  for (TensorId t : tensors) {
    std::string separator = name.empty() ? "" : " + ";
    name += separator + d.tensor(t).name;
    label += separator + d.tensor(t).label;
  }
  transfer.what = decorate(transfer, name);
  transfer.label = decorate(transfer, label);
}

void name_weight(const Derivation& d, Transfer& transfer) {
  const std::string& name = d.graph.weights[static_cast<std::size_t>(transfer.weight)].name;
  std::string segment = d.graph.segments[static_cast<std::size_t>(transfer.segment)].name + ".";
  transfer.what = decorate(transfer, name);
  transfer.label = decorate(transfer, name.compare(0, segment.size(), segment) == 0 ? name.substr(segment.size()) : name);
}

Transfer tensor_transfer(const Derivation& d, Phase phase, TensorId tensor, Party reader) {
  Transfer transfer;
  transfer.phase = phase;
  transfer.tensor = tensor;
  transfer.reader = reader.node;
  transfer.segment = d.tensor(tensor).segment;
  transfer.dims = d.tensor(tensor).dims;
  transfer.width = d.tensor(tensor).width;
  return transfer;
}

void emit(Derivation& d, const Transfer& base, const std::vector<Step>& steps, Party reader, const std::vector<Party>& makers) {
  std::vector<Party> parties = {reader};
  parties.insert(parties.end(), makers.begin(), makers.end());
  for (const Step& step : steps) {
    if (step.kind == Collective::slice) continue;
    Transfer transfer = base;
    transfer.kind = step.kind;
    transfer.axes = step.axes;
    transfer.from = step.from;
    transfer.to = step.to;
    transfer.message = step.message();
    transfer.lowering = lowering(d, step, parties);
    if (base.rule < 0 && base.weight < 0) transfer.rule = placing_rule(d, step.axes.front(), parties);
    d.out.transfers.push_back(std::move(transfer));
  }
}

}  // namespace opledger
