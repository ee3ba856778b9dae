#include "rules/one_rank.h"

#include <algorithm>
#include <utility>

namespace opledger {

AxisList OneRank::without(AxisList axes) const {
  axes.erase(std::remove_if(axes.begin(), axes.end(), [this](AxisId a) { return left_out(a); }), axes.end());
  return axes;
}

bool OneRank::query_until_several(const Mesh& mesh, const AxisList& axes) {
  return std::all_of(axes.begin(), axes.end(), [&](AxisId a) { return query(mesh, a); });
}

void OneRank::query_all(const Mesh& mesh, const AxisList& axes) {
  for (AxisId a : axes) query(mesh, a);
}

bool OneRank::must_restart() { return std::exchange(must_restart_, false); }

/// Queries one axis unless its answer is known. A part of a single-rank axis has one rank too.
bool OneRank::query(const Mesh& mesh, AxisId axis) {
  if (left_out(axis)) return true;
  if (several_.count(axis) > 0) return false;
  const AxisId whole = mesh.axes[axis].of;
  if (!(whole && left_out(whole)) && !query_(mesh, axis)) {
    several_.insert(axis);
    return false;
  }
  left_out_.insert(axis);
  must_restart_ = true;
  return true;
}

}  // namespace opledger
