#include "rules/one_rank.h"

#include <algorithm>
#include <utility>

namespace opledger {

AxisList OneRank::without(AxisList axes) const {
  axes.erase(std::remove_if(axes.begin(), axes.end(), [this](AxisId a) { return left_out(a); }), axes.end());
  return axes;
}

bool OneRank::ask_until_more(const Mesh& mesh, const AxisList& axes) {
  return std::all_of(axes.begin(), axes.end(), [&](AxisId a) { return ask(mesh, a); });
}

void OneRank::ask_all(const Mesh& mesh, const AxisList& axes) {
  for (AxisId a : axes) ask(mesh, a);
}

bool OneRank::found() { return std::exchange(found_, false); }

/// A part of an axis of one rank has one rank too.
bool OneRank::ask(const Mesh& mesh, AxisId axis) {
  if (left_out(axis)) return true;
  if (several_.count(axis) > 0) return false;
  const AxisId whole = mesh.axes[axis].of;
  if (!(whole && left_out(whole)) && !ask_(mesh, axis)) {
    several_.insert(axis);
    return false;
  }
  left_out_.insert(axis);
  found_ = true;
  return true;
}

}  // namespace opledger
