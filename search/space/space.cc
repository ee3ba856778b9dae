#include "search/space/space.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"

namespace opledger {

std::size_t first_stop(const Space& space) {
  const auto found = std::find_if(space.axes.begin(), space.axes.end(), [](const SpaceAxis& axis) { return axis.stops; });
  return static_cast<std::size_t>(found - space.axes.begin());
}

bool add_stop(Space& space, const std::string& name, Diagnostics& diagnostics) {
  std::vector<std::string> known;
  for (SpaceAxis& axis : space.axes) {
    if (axis.derived != nullptr) continue;
    known.push_back(axis.input->name);
    if (axis.input->name != name) continue;
    axis.stops = true;
    return true;
  }
  diagnostics.error({}, fmt::format("the search can't stop at `{}`, which is no axis of several values{}", name, suggestion(name, known)));
  return false;
}

}  // namespace opledger
