#include "search/space/combinations.h"

#include <algorithm>

namespace opledger {

AxisSet with_dependencies(const Space& space, AxisSet axes) {
  // An axis reads only axes before itself, so that a single pass from the innermost axis computes the transitive
  // closure.
  for (std::size_t a = space.axes.size(); a-- > 0;) {
    if ((axes & axis_bit(a)) != 0) axes |= space.axes[a].reads;
  }
  return axes;
}

bool Combinations::add(AxisSet known, AxisSet targets, std::vector<std::vector<double>>& out) {
  // Appends every combination of values of `targets` to `out`, by depth-first enumeration in the order of the space. `known` has
  // the axes with a value so far. Derived axes get their value as soon as the axes that they read are known; an empty derived
  // domain prunes the subtree. A combination is complete when no target is open. Returns false above kMaxCombinations, or if a
  // domain can't be computed. Errors are ignored here: callers go on without the combinations, and the search itself reports
  // the error.
  Diagnostics ignored;
  const AssignmentStatus derived = assignment_.derive(known, ignored);
  if (derived != AssignmentStatus::good) return derived == AssignmentStatus::empty;
  const std::size_t axis = assignment_.next(known, targets);
  if (axis == assignment_.values.size()) {
    out.push_back(assignment_.values);
    return out.size() <= kMaxCombinations;
  }
  const std::vector<double>* domain = assignment_.domain(axis, ignored);
  if (domain == nullptr) return false;
  for (const double value : *domain) {
    assignment_.values[axis] = value;
    if (!add(known | axis_bit(axis), targets, out)) return false;
  }
  return true;
}

const std::vector<std::vector<double>>* Combinations::of(AxisSet axes) {
  const auto [found, fresh] = known_.try_emplace(axes);
  if (fresh) {
    found->second.emplace();
    if (!add(0, axes, *found->second)) found->second.reset();
  }
  return found->second ? &*found->second : nullptr;
}

const std::vector<double>* Combinations::values(const Space& space, std::size_t axis) {
  const auto* all = of(with_dependencies(space, axis_bit(axis)));  // The memo of `of` also answers a repeated failure.
  if (all == nullptr) return nullptr;
  const auto [found, fresh] = values_.try_emplace(axis);
  if (fresh) {
    for (const auto& values : *all) found->second.push_back(values[axis]);
    std::sort(found->second.begin(), found->second.end());
    found->second.erase(std::unique(found->second.begin(), found->second.end()), found->second.end());
  }
  return &found->second;
}

}  // namespace opledger
