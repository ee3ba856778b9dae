#include "search/sweep/siblings.h"

#include <algorithm>

namespace opledger {

SiblingKinds kinds_by(const std::vector<Sibling>& siblings, AxisSet axes) {
  SiblingKinds out;
  const auto alike = [&](std::size_t a, std::size_t b) {
    for (std::size_t axis = 0; axis < siblings[a].values.size(); ++axis) {
      if ((axes & axis_bit(axis)) != 0 && siblings[a].values[axis] != siblings[b].values[axis]) return false;
    }
    return true;
  };
  for (std::size_t s = 0; s < siblings.size(); ++s) {
    const auto same = std::find_if(out.first.begin(), out.first.end(), [&](std::size_t first) { return alike(first, s); });
    const auto kind = static_cast<std::size_t>(same - out.first.begin());
    if (same == out.first.end()) {
      out.first.push_back(s);
      out.members.push_back(0);
    }
    out.of.push_back(kind);
    out.members[kind] |= sibling_bit(s);
  }
  return out;
}

}  // namespace opledger
