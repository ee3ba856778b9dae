#include "rules/fitting.h"

#include <algorithm>

namespace opledger {

namespace {

const Axis& axis_of(const Mesh& mesh, AxisId a) { return mesh.axes[static_cast<std::size_t>(a)]; }

bool has(const AxisList& list, AxisId a) { return std::find(list.begin(), list.end(), a) != list.end(); }

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

/// Parts of one dimension divide it together if one of them was cut with all the others before it.
bool divide_together(const Mesh& mesh, DimId dimension, const AxisList& parts) {
  return std::any_of(parts.begin(), parts.end(), [&](AxisId last) {
    AxisList before = parts_before(mesh, dimension, last);
    return std::all_of(parts.begin(), parts.end(), [&](AxisId part) { return part == last || has(before, part); });
  });
}

bool same_cut(const Axis& a, const Axis& b) { return a.of == b.of && a.dimension == b.dimension; }

/// The rest of a cut has one rank, or the part that fits after it has.
bool may_skip(const Mesh& mesh, DimId dimension, AxisId rest, AxisId part) {
  AxisList before = parts_before(mesh, dimension, part);
  return std::any_of(before.begin(), before.end(), [&](AxisId a) { return a >= 0 && same_cut(axis_of(mesh, a), axis_of(mesh, rest)); });
}

}  // namespace

bool fits(const Mesh& mesh, DimId dimension, const AxisList& have, AxisId axis) {
  AxisList parts;
  for (AxisId a : have) {
    AxisId part = part_for(mesh, a, dimension);
    if (part < 0 || axis_of(mesh, part).part != Axis::Part::fitting) return false;
    if (!has(parts, part)) parts.push_back(part);
  }
  AxisId part = part_for(mesh, axis, dimension);
  if (part < 0 || axis_of(mesh, part).part != Axis::Part::fitting) return false;
  if (!has(parts, part)) parts.push_back(part);
  return divide_together(mesh, dimension, parts);
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
