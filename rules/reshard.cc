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

Placement without(const Placement& placement, const AxisList& axes) {
  const auto rest = [&](AxisList list) {
    std::erase_if(list, [&](AxisId a) { return contains(axes, a); });
    return list;
  };
  Placement out;
  for (const auto& [dimension, list] : placement.shard) out.set(dimension, rest(list));
  out.partial = rest(placement.partial);
  return out;
}

/// Largest number of axes of which all subsets are tried.
constexpr std::size_t kMostInOrder = 8;

/// Two successive gathers, or reduce-scatters, send different numbers of bytes, so their order matters, and it depends on all axes. Asks about each set of axes
/// without which the order would differ. Tries all subsets of the open axes, at most 2^kMostInOrder transitions.
void ask_order(Derivation& d, const Placement& from, const Placement& to, const std::vector<Step>& way) {
  const auto follows = [](const Step& a, const Step& b) {
    return a.kind == b.kind && (a.kind == Collective::all_gather || a.kind == Collective::reduce_scatter);
  };
  if (std::adjacent_find(way.begin(), way.end(), follows) == way.end()) return;
  AxisList open;
  for (const AxisId a : d.grid.order) {
    if ((from.mentions(a) || to.mentions(a)) && !d.ones.has_several(a)) open.push_back(a);
  }
  if (open.size() > kMostInOrder) return d.ones.ask_all(d.out.mesh, open);
  for (std::size_t subset = 1; subset < std::size_t(1) << open.size(); ++subset) {
    AxisList some;
    for (std::size_t i = 0; i < open.size(); ++i) {
      if ((subset >> i & 1) != 0) some.push_back(open[i]);
    }
    if (std::any_of(some.begin(), some.end(), [&](AxisId a) { return d.ones.has_several(a); })) continue;
    if (collectives_without(transition(d.grid, without(from, some), without(to, some)), {}) != collectives_without(way, some))
      d.ones.ask_until_more(d.out.mesh, some);
  }
}

/// Returns the axes that the two placements use for different dimensions, or that only one of them uses.
AxisList used_otherwise(const Placement& x, const Placement& y) {
  const std::map<AxisId, DimId> a = axis_uses(x), b = axis_uses(y);
  AxisList axes;
  for (const auto& [axis, dimension] : a) {
    const auto other = b.find(axis);
    if (other == b.end() || other->second != dimension) add_axes(axes, {axis});
  }
  for (const auto& entry : b) {
    if (a.count(entry.first) == 0) add_axes(axes, {entry.first});
  }
  return axes;
}

}  // namespace

AxisList differing(const Placement& x, const Placement& y) {
  AxisList axes = used_otherwise(x, y);
  const Placement a = without(x, axes), b = without(y, axes);
  for (const auto& [dimension, list] : a.shard) {
    if (list != *b.axes(dimension)) add_axes(axes, list);
  }
  return axes;
}

std::vector<Step> reshard(Derivation& d, const Placement& from, const Placement& to) {
  d.ones.ask_all(d.out.mesh, out_of_order(d.grid, from, to));
  std::vector<Step> way = transition(d.grid, from, to);
  ask_order(d, from, to, way);
  return way;
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

bool same(Derivation& d, const Placement& a, const Placement& b) {
  if (transition(d.grid, a, b).empty()) return true;
  const AxisList axes = used_otherwise(a, b);
  if (d.ones.ask_until_more(d.out.mesh, axes)) d.ones.ask_all(d.out.mesh, out_of_order(d.grid, without(a, axes), without(b, axes)));
  return false;
}

bool spread(Derivation& d, const Placement& placement) {
  d.ones.ask_until_more(d.out.mesh, placement.partial);
  return !placement.partial.empty();
}

}  // namespace opledger
