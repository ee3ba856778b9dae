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

/// Returns the axes over which data is sent.
AxisList moved(const std::vector<Step>& steps) {
  AxisList axes;
  for (const Step& step : steps) {
    if (step.kind != Collective::slice) add_axes(axes, step.axes);
  }
  return axes;
}

AxisList needed(const Grid& grid, const Placement& from, const Placement& to) { return moved(transition(grid, from, to)); }

/// Returns the use of each axis: the dimension that it shards, or kPartial.
std::map<AxisId, DimId> axis_uses(const Placement& placement) {
  constexpr DimId kPartial = kElements - 1;
  std::map<AxisId, DimId> all;
  for (const auto& [dimension, axes] : placement.shard) {
    for (AxisId a : axes) all[a] = dimension;
  }
  for (AxisId a : placement.partial) all[a] = kPartial;
  return all;
}

/// Returns the collectives of a path without some axes, for comparing two paths.
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

/// Limit of axes for which all subsets are tried.
constexpr std::size_t kMostInOrder = 8;

/// Queries axes on which the order of successive gathers or reduce-scatters in `steps` depends. Such collectives send
/// different numbers of bytes in different orders, and a single-rank axis can change the order, although it sends
/// nothing. `open` are the axes of either placement that may have one rank. Every subset is removed in turn, and
/// queried if the other collectives would differ: a single-rank axis is then removed and the derivation restarts. The
/// cost is at most 2^kMostInOrder transitions; with more open axes, all are queried at once.
void query_order(Derivation& d, const Placement& from, const Placement& to, const std::vector<Step>& steps) {
  const auto follows = [](const Step& a, const Step& b) {
    return a.kind == b.kind && (a.kind == Collective::all_gather || a.kind == Collective::reduce_scatter);
  };
  if (std::adjacent_find(steps.begin(), steps.end(), follows) == steps.end()) return;
  AxisList open;
  for (const AxisId a : d.grid.order) {
    if ((from.mentions(a) || to.mentions(a)) && !d.ones.has_several(a)) open.push_back(a);
  }
  if (open.size() > kMostInOrder) return d.ones.query_all(d.out.mesh, open);
  for (std::size_t subset = 1; subset < std::size_t(1) << open.size(); ++subset) {
    AxisList removed;
    for (std::size_t i = 0; i < open.size(); ++i) {
      if ((subset >> i & 1) != 0) removed.push_back(open[i]);
    }
    if (std::any_of(removed.begin(), removed.end(), [&](AxisId a) { return d.ones.has_several(a); })) continue;
    if (collectives_without(transition(d.grid, without(from, removed), without(to, removed)), {}) != collectives_without(steps, removed))
      d.ones.query_until_several(d.out.mesh, removed);
  }
}

/// Returns the axes with different uses in the two placements, or with a use in only one placement.
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
  d.ones.query_all(d.out.mesh, out_of_order(d.grid, from, to));
  std::vector<Step> steps = transition(d.grid, from, to);
  query_order(d, from, to, steps);
  return steps;
}

/// Chooses the copy from which the target is reached, and makes the queries that could change the choice.
/// `best_source` assumes that every axis has several ranks. Another source could be better if the axes over which it
/// sends (`lacking`) had a single rank: slices alone would lead from it to the target. These axes are queried, unless
/// they include every axis over which the chosen source sends, since that source would then send nothing either.
const Placement& choose_source(Derivation& d, const std::vector<Placement>& available, const Placement& target) {
  const Placement& chosen = best_source(d.grid, available, target);
  const std::vector<Step> steps = reshard(d, chosen, target);
  const AxisList sent = moved(steps);
  if (sent.empty()) return chosen;
  for (const Placement& other : available) {
    if (&other == &chosen) continue;
    const AxisList lacking = needed(d.grid, other, target);
    if (!all_within(sent, lacking)) d.ones.query_until_several(d.out.mesh, lacking);
  }
  // The producer's copy may be partial. Over single-rank axes it is complete, and would then be the first complete
  // source.
  const Placement& produced = available.front();
  if (!produced.partial.empty() && collectives_without(transition(d.grid, produced, target), produced.partial) != collectives_without(steps, produced.partial))
    d.ones.query_until_several(d.out.mesh, produced.partial);
  return chosen;
}

void query_mergeable(Derivation& d, const std::vector<PlacementChange>& changes) {
  for (std::size_t i = 0; i < changes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      AxisList axes = differing(changes[i].from, changes[j].from);
      add_axes(axes, differing(changes[i].to, changes[j].to));
      AxisList sent = moved(reshard(d, changes[i].from, changes[i].to));
      add_axes(sent, moved(reshard(d, changes[j].from, changes[j].to)));
      if (!all_within(sent, axes)) d.ones.query_until_several(d.out.mesh, axes);
    }
  }
}

void query_partial(Derivation& d, const Placement& source, const std::vector<Step>& steps) {
  if (!all_within(moved(steps), source.partial)) d.ones.query_until_several(d.out.mesh, source.partial);
}

void query_sliced(Derivation& d, const Placement& from, const Placement& to) {
  const AxisList lacking = moved(reshard(d, from, to));
  if (!all_within(differing(from, to), lacking)) d.ones.query_until_several(d.out.mesh, lacking);
}

bool same(Derivation& d, const Placement& a, const Placement& b) {
  if (transition(d.grid, a, b).empty()) return true;
  const AxisList axes = used_otherwise(a, b);
  if (d.ones.query_until_several(d.out.mesh, axes)) d.ones.query_all(d.out.mesh, out_of_order(d.grid, without(a, axes), without(b, axes)));
  return false;
}

bool spread(Derivation& d, const Placement& placement) {
  d.ones.query_until_several(d.out.mesh, placement.partial);
  return !placement.partial.empty();
}

}  // namespace opledger
