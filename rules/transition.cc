#include "rules/transition.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <tuple>

namespace opledger {

namespace {

/// The effect of one axis on a tensor.
struct AxisUse {
  enum Kind { replicated, sharded, partial } kind = replicated;
  DimId dimension = kElements;
  friend bool operator==(const AxisUse&, const AxisUse&) = default;
};

struct Move {
  AxisId axis;
  AxisUse from, to;
};

/// Moves of axes by one collective.
struct Group {
  Collective kind = Collective::slice;
  DimId from = kElements, to = kElements;  ///< Common dimensions of all-to-all and slice.
  int communicator = -1;                   ///< Common communicator of the other kinds.
  std::vector<Move> moves;
  std::tuple<Collective, int, int> order;

  bool joins(const Group& other) const { return kind == other.kind && from == other.from && to == other.to && communicator == other.communicator; }
};

int index_of(const AxisList& list, AxisId axis) { return static_cast<int>(std::find(list.begin(), list.end(), axis) - list.begin()); }

IdVector<AxisId, AxisUse> uses(const Grid& grid, const Placement& placement) {
  IdVector<AxisId, AxisUse> all(grid.position.size());
  for (const auto& [dimension, axes] : placement.shard) {
    for (AxisId a : axes) all[a] = {AxisUse::sharded, dimension};
  }
  for (AxisId a : placement.partial) all[a] = {AxisUse::partial, kElements};
  return all;
}

Collective kind_of(const Move& move) {
  if (move.to.kind == AxisUse::replicated) return move.from.kind == AxisUse::partial ? Collective::all_reduce : Collective::all_gather;
  assert(move.to.kind == AxisUse::sharded);
  if (move.from.kind == AxisUse::replicated) return Collective::slice;
  return move.from.kind == AxisUse::partial ? Collective::reduce_scatter : Collective::all_to_all;
}

/// Returns the order of a move: gains in the order of the target, losses innermost first.
std::tuple<int, int> rank_of(const Grid& grid, const Placement& from, const Placement& to, const Move& move) {
  int rank = 0;
  if (move.to.kind == AxisUse::sharded) {
    rank = index_of(*to.axes(move.to.dimension), move.axis);
  } else if (move.from.kind == AxisUse::sharded) {
    rank = -index_of(*from.axes(move.from.dimension), move.axis);
  }
  return {rank, grid.position[move.axis]};
}

/// Returns the collectives from one placement to another, in the order of execution. Compares the use of every axis in
/// both placements. Each difference is a move of a certain kind; moves of equal kind, dimensions and communicator form
/// one collective. Collectives are sorted by kind, in the order of the table in transition.h, so that tensors shrink
/// first and grow last. Collectives of one kind are sorted by their first move, as `rank_of` orders moves.
std::vector<Group> groups_of(const Grid& grid, const Placement& from, const Placement& to) {
  IdVector<AxisId, AxisUse> before = uses(grid, from), after = uses(grid, to);
  std::vector<Group> groups;
  for (AxisId a : grid.order) {
    Move move{a, before[a], after[a]};
    if (move.from == move.to) continue;
    Group group;
    group.kind = kind_of(move);
    if (group.kind == Collective::all_to_all || group.kind == Collective::slice) {
      group.from = move.from.dimension;
      group.to = move.to.dimension;
    } else {
      group.communicator = grid.communicator[a];
    }
    auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& other) { return other.joins(group); });
    if (found == groups.end()) found = groups.insert(groups.end(), group);
    found->moves.push_back(move);
  }
  for (Group& group : groups) {
    auto best = std::make_tuple(std::numeric_limits<int>::max(), 0);
    for (const Move& move : group.moves) best = std::min(best, rank_of(grid, from, to, move));
    group.order = {group.kind, std::get<0>(best), std::get<1>(best)};
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.order < b.order; });
  return groups;
}

/// Moves an axis between dimensions. Axes of the target are kept in the target's order; axes that leave later come
/// last.
void apply(const Move& move, const Placement& to, Placement& current) {
  if (move.from.kind == AxisUse::sharded) {
    AxisList axes = *current.axes(move.from.dimension);
    axes.erase(std::find(axes.begin(), axes.end(), move.axis));
    current.set(move.from.dimension, std::move(axes));
  }
  if (move.to.kind != AxisUse::sharded) return;
  const AxisList* present = current.axes(move.to.dimension);
  AxisList axes = present ? *present : AxisList{};
  axes.push_back(move.axis);
  const AxisList& target = *to.axes(move.to.dimension);
  std::stable_sort(axes.begin(), axes.end(), [&](AxisId a, AxisId b) { return index_of(target, a) < index_of(target, b); });
  current.set(move.to.dimension, std::move(axes));
}

/// Returns whether one axis list is a prefix of the other, or, for unordered dimensions, a subset.
bool nested(const AxisList& a, const AxisList& b, bool any_order) {
  const AxisList &small = a.size() <= b.size() ? a : b, &large = a.size() <= b.size() ? b : a;
  if (!any_order) return std::equal(small.begin(), small.end(), large.begin());
  return std::all_of(small.begin(), small.end(), [&](AxisId x) { return contains(large, x); });
}

/// Returns the length of the common prefix.
std::ptrdiff_t common_prefix(const AxisList& a, const AxisList& b) {
  return std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())), b.begin()).first - a.begin();
}

}  // namespace

std::optional<Placement> detour(const Grid& grid, const Placement& from, const Placement& to) {
  Placement middle = from;
  bool needed = false;
  for (const auto& [dimension, axes] : from.shard) {
    const AxisList* target = to.axes(dimension);
    if (!target || nested(axes, *target, grid.any_order(dimension))) continue;
    middle.set(dimension, AxisList(axes.begin(), axes.begin() + common_prefix(axes, *target)));
    needed = true;
  }
  if (!needed) return std::nullopt;
  return middle;
}

AxisList out_of_order(const Grid& grid, const Placement& from, const Placement& to) {
  AxisList out;
  for (const auto& [dimension, axes] : from.shard) {
    const AxisList* target = to.axes(dimension);
    if (!target || nested(axes, *target, grid.any_order(dimension))) continue;
    out.insert(out.end(), axes.begin() + common_prefix(axes, *target), axes.end());
    out.insert(out.end(), target->begin() + common_prefix(axes, *target), target->end());
  }
  return out;
}

std::vector<Step> transition(const Grid& grid, const Placement& from, const Placement& to) {
  // `groups_of` finds the collectives in order; the loop applies their moves one by one, which gives the placement
  // before and after each step. `current` has no partial axes, because placements of messages don't mention them. If
  // neither axis list of an ordered dimension is a prefix of the other (of an unordered dimension: a subset), the
  // transition takes a detour over the placement that gathers the dimension to the common prefix. Neither half then
  // needs a detour, so the recursion ends.
  if (std::optional<Placement> middle = detour(grid, from, to)) {
    std::vector<Step> steps = transition(grid, from, *middle), rest = transition(grid, *middle, to);
    steps.insert(steps.end(), rest.begin(), rest.end());
    return steps;
  }
  std::vector<Step> steps;
  Placement current = from.reduced();
  for (const Group& group : groups_of(grid, from, to)) {
    Step step;
    step.kind = group.kind;
    step.from = group.moves.front().from.dimension;
    step.to = group.moves.front().to.dimension;
    step.before = current;
    for (const Move& move : group.moves) {
      step.axes.push_back(move.axis);
      apply(move, to, current);
    }
    step.after = current;
    steps.push_back(std::move(step));
  }
  return steps;
}

bool slices_to(const Grid& grid, const Placement& from, const Placement& to) {
  if (from.partial != to.partial) return false;
  std::vector<Step> steps = transition(grid, from, to);
  return std::all_of(steps.begin(), steps.end(), [](const Step& step) { return step.kind == Collective::slice; });
}

const Placement& best_source(const Grid& grid, const std::vector<Placement>& available, const Placement& target) {
  auto complete = [](const Placement& p) { return p.partial.empty(); };
  auto sliced = std::find_if(available.begin(), available.end(), [&](const Placement& p) { return complete(p) && slices_to(grid, p, target); });
  if (sliced != available.end()) return *sliced;
  auto found = std::find_if(available.begin(), available.end(), complete);
  return found != available.end() ? *found : available.front();
}

}  // namespace opledger
