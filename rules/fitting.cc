#include "rules/fitting.h"

#include <algorithm>
#include <iterator>

namespace opledger {

namespace {

const Axis& axis_of(const Mesh& mesh, AxisId a) { return mesh.axes[a]; }

/// Returns the part that was cut for the dimension: the axis itself or an ancestor; none if no cut exists.
AxisId part_for(const Mesh& mesh, AxisId axis, DimId dimension) {
  for (AxisId a = axis; a; a = axis_of(mesh, a).of) {
    if (axis_of(mesh, a).part != Axis::Part::whole && axis_of(mesh, a).dimension == dimension) return a;
  }
  return {};
}

bool fitting(const Mesh& mesh, DimId dimension, AxisId axis) {
  const AxisId part = part_for(mesh, axis, dimension);
  return part && axis_of(mesh, part).part == Axis::Part::fitting;
}

/// Returns whether the cut considered the axis, or an ancestor of it, before its own part.
bool considered(const Mesh& mesh, const AxisList& before, AxisId axis) {
  for (AxisId a = axis; a; a = axis_of(mesh, a).of) {
    if (contains(before, a)) return true;
  }
  return false;
}

AxisList parts_before(const Mesh& mesh, DimId dimension, AxisId part) {
  AxisList parts;
  for (AxisId a : axis_of(mesh, part).before) parts.push_back(part_for(mesh, a, dimension));
  return parts;
}

bool same_cut(const Axis& a, const Axis& b) { return a.of == b.of && a.dimension == b.dimension; }

/// Returns whether the rest of a cut can be skipped: either the rest has one rank, or the part after it has one.
bool may_skip(const Mesh& mesh, DimId dimension, AxisId rest, AxisId part) {
  AxisList before = parts_before(mesh, dimension, part);
  return std::any_of(before.begin(), before.end(), [&](AxisId a) { return a && same_cut(axis_of(mesh, a), axis_of(mesh, rest)); });
}

}  // namespace

bool fits(const Mesh& mesh, DimId dimension, const AxisList& have, AxisId axis) {
  return fitting(mesh, dimension, axis) && not_fitting(mesh, dimension, have, axis).empty();
}

AxisList not_fitting(const Mesh& mesh, DimId dimension, const AxisList& axes, AxisId after) {
  const AxisList& before = axis_of(mesh, part_for(mesh, after, dimension)).before;
  AxisList out;
  std::copy_if(axes.begin(), axes.end(), std::back_inserter(out), [&](AxisId a) { return !fitting(mesh, dimension, a) && !considered(mesh, before, a); });
  return out;
}

/// Finds the axes of a fine dimension that also split its coarse dimension, so that each rank has whole coarse units.
/// Walks over the fine dimension's axes, outermost first. A part that fits the coarse dimension is taken if every rest
/// before it can be skipped, because the rest or the part has one rank. An axis without a cut, or a rest that can't be
/// skipped, blocks the first part after it, and the walk ends. The cost is quadratic in the few axes.
Followed follow(const Mesh& mesh, DimId coarse, const AxisList& fine) {
  Followed out;
  AxisList rests;
  for (AxisId axis : fine) {
    const AxisId part = part_for(mesh, axis, coarse);
    if (!part) {
      out.blocking.push_back(axis);
    } else if (axis_of(mesh, part).part == Axis::Part::rest) {
      rests.push_back(axis);
    } else {
      std::copy_if(rests.begin(), rests.end(), std::back_inserter(out.blocking),
                   [&](AxisId rest) { return !may_skip(mesh, coarse, part_for(mesh, rest, coarse), part); });
      if (!out.blocking.empty()) return out;
      out.taken.push_back(axis);
    }
  }
  out.blocking.clear();  // No part fits after them.
  return out;
}

}  // namespace opledger
