#include "rules/fitting.h"

#include <algorithm>

namespace opledger {

namespace {

const Axis& axis_of(const Mesh& mesh, AxisId a) { return mesh.axes[static_cast<std::size_t>(a)]; }

/// The part, this axis or one that it was cut from, that was cut for the dimension; -1: none.
AxisId part_for(const Mesh& mesh, AxisId axis, DimId dimension) {
  for (AxisId a = axis; a >= 0; a = axis_of(mesh, a).of) {
    if (axis_of(mesh, a).part != Axis::Part::whole && axis_of(mesh, a).dimension == dimension) return a;
  }
  return -1;
}

AxisList parts_before(const Mesh& mesh, DimId dimension, AxisId part) {
  AxisList parts;
  for (AxisId a : axis_of(mesh, part).before) parts.push_back(part_for(mesh, a, dimension));
  return parts;
}

bool same_cut(const Axis& a, const Axis& b) { return a.of == b.of && a.dimension == b.dimension; }

/// The rest of a cut has one rank, or the part that fits after it has.
bool may_skip(const Mesh& mesh, DimId dimension, AxisId rest, AxisId part) {
  AxisList before = parts_before(mesh, dimension, part);
  return std::any_of(before.begin(), before.end(), [&](AxisId a) { return a >= 0 && same_cut(axis_of(mesh, a), axis_of(mesh, rest)); });
}

}  // namespace

bool fits(const Mesh& mesh, DimId dimension, const AxisList& have, AxisId axis) {
  auto fitting = [&](AxisId a) {
    AxisId part = part_for(mesh, a, dimension);
    return part >= 0 && axis_of(mesh, part).part == Axis::Part::fitting;
  };
  return fitting(axis) && std::all_of(have.begin(), have.end(), fitting);
}

AxisList follow(const Mesh& mesh, DimId coarse, const AxisList& fine) {
  AxisList taken, skipped;
  for (AxisId axis : fine) {
    AxisId part = part_for(mesh, axis, coarse);
    if (part < 0) break;
    if (axis_of(mesh, part).part == Axis::Part::rest) {
      skipped.push_back(part);
      continue;
    }
    bool aligned = std::all_of(skipped.begin(), skipped.end(), [&](AxisId rest) { return may_skip(mesh, coarse, rest, part); });
    if (!aligned || !fits(mesh, coarse, taken, axis)) break;
    taken.push_back(axis);
  }
  return taken;
}

}  // namespace opledger
