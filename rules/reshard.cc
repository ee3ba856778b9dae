#include "rules/reshard.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

namespace opledger {

namespace {

void add_axes(AxisList& axes, const AxisList& more) {
  for (AxisId a : more) {
    if (!contains(axes, a)) axes.push_back(a);
  }
}

bool all_within(const AxisList& axes, const AxisList& others) {
  return std::all_of(axes.begin(), axes.end(), [&](AxisId a) { return contains(others, a); });
}

/// Axes over which something is sent.
AxisList moved(const std::vector<Step>& steps) {
  AxisList axes;
  for (const Step& step : steps) {
    if (step.kind != Collective::slice) add_axes(axes, step.axes);
  }
  return axes;
}

AxisList needed(const Grid& grid, const Placement& from, const Placement& to) { return moved(transition(grid, from, to)); }

/// What each axis does: the dimension that it shards, or that it is partial.
std::map<AxisId, DimId> axis_uses(const Placement& placement) {
  constexpr DimId kPartial = kElements - 1;
  std::map<AxisId, DimId> all;
  for (const auto& [dimension, axes] : placement.shard) {
    for (AxisId a : axes) all[a] = dimension;
  }
  for (AxisId a : placement.partial) all[a] = kPartial;
  return all;
}

/// The collectives of a way without some of the axes, so that two ways can be compared.
std::vector<std::tuple<Collective, DimId, DimId, AxisList>> collectives_without(const std::vector<Step>& steps, const AxisList& axes) {
  std::vector<std::tuple<Collective, DimId, DimId, AxisList>> out;
  for (const Step& step : steps) {
    AxisList rest;
    std::copy_if(step.axes.begin(), step.axes.end(), std::back_inserter(rest), [&](AxisId a) { return !contains(axes, a); });
    if (step.kind != Collective::slice && !rest.empty()) out.emplace_back(step.kind, step.from, step.to, std::move(rest));
  }
  return out;
}

}  // namespace

AxisList differing(const Placement& x, const Placement& y) {
  const std::map<AxisId, DimId> a = axis_uses(x), b = axis_uses(y);
  AxisList axes;
  for (const auto& [axis, dimension] : a) {
    const auto other = b.find(axis);
    if (other == b.end() || other->second != dimension) add_axes(axes, {axis});
  }
  for (const auto& entry : b) {
    if (a.count(entry.first) == 0) add_axes(axes, {entry.first});
  }
  for (const auto& [dimension, list] : x.shard) {
    const AxisList* other = y.axes(dimension);
    AxisList left, right;
    std::copy_if(list.begin(), list.end(), std::back_inserter(left), [&](AxisId axis) { return !contains(axes, axis); });
    if (other != nullptr) std::copy_if(other->begin(), other->end(), std::back_inserter(right), [&](AxisId axis) { return !contains(axes, axis); });
    if (left != right) add_axes(axes, left);
  }
  return axes;
}

std::vector<Step> reshard(Derivation& d, const Placement& from, const Placement& to) {
  d.ones.ask_all(d.out.mesh, out_of_order(d.grid, from, to));
  return transition(d.grid, from, to);
}

const Placement& choose_source(Derivation& d, const std::vector<Placement>& at_hand, const Placement& target) {
  const Placement& chosen = best_source(d.grid, at_hand, target);
  const std::vector<Step> way = reshard(d, chosen, target);
  const AxisList sent = moved(way);
  if (sent.empty()) return chosen;
  for (const Placement& other : at_hand) {
    if (&other == &chosen) continue;
    const AxisList lacking = needed(d.grid, other, target);
    if (!all_within(sent, lacking)) d.ones.ask_until_more(d.out.mesh, lacking);
  }
  // As its producer leaves it a tensor may be partial; over axes of one rank it is not, and then it is the first that is settled.
  const Placement& produced = at_hand.front();
  if (!produced.partial.empty() && collectives_without(transition(d.grid, produced, target), produced.partial) != collectives_without(way, produced.partial))
    d.ones.ask_until_more(d.out.mesh, produced.partial);
  return chosen;
}

void ask_alike(Derivation& d, const std::vector<Journey>& journeys) {
  for (std::size_t i = 0; i < journeys.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      AxisList axes = differing(journeys[i].from, journeys[j].from);
      add_axes(axes, differing(journeys[i].to, journeys[j].to));
      AxisList sent = moved(reshard(d, journeys[i].from, journeys[i].to));
      add_axes(sent, moved(reshard(d, journeys[j].from, journeys[j].to)));
      if (!all_within(sent, axes)) d.ones.ask_until_more(d.out.mesh, axes);
    }
  }
}

void ask_partial(Derivation& d, const Placement& source, const std::vector<Step>& way) {
  if (!all_within(moved(way), source.partial)) d.ones.ask_until_more(d.out.mesh, source.partial);
}

void ask_sliced(Derivation& d, const Placement& from, const Placement& to) {
  const AxisList lacking = moved(reshard(d, from, to));
  if (!all_within(differing(from, to), lacking)) d.ones.ask_until_more(d.out.mesh, lacking);
}

bool spread(Derivation& d, const Placement& placement) {
  d.ones.ask_until_more(d.out.mesh, placement.partial);
  return !placement.partial.empty();
}

}  // namespace opledger
