#include "graph/placement.h"

#include <algorithm>

namespace opledger {

namespace {

using Entry = std::pair<DimId, AxisList>;

bool before(const Entry& entry, DimId d) { return entry.first < d; }

}  // namespace

/// Dimensions are sorted, so look-ups are binary searches.
const AxisList* Placement::axes(DimId d) const {
  auto found = std::lower_bound(shard.begin(), shard.end(), d, before);
  return found != shard.end() && found->first == d ? &found->second : nullptr;
}

bool Placement::mentions(AxisId a) const {
  auto has = [a](const AxisList& axes) { return contains(axes, a); };
  return has(partial) || std::any_of(shard.begin(), shard.end(), [&](const Entry& entry) { return has(entry.second); });
}

Placement Placement::reduced() const { return {shard, {}}; }

Placement Placement::only(const DimList& dims) const {
  Placement out{{}, partial};
  std::copy_if(shard.begin(), shard.end(), std::back_inserter(out.shard), [&](const Entry& entry) { return contains(dims, entry.first); });
  return out;
}

Placement Placement::renamed(const std::vector<std::pair<DimId, DimId>>& renames) const {
  Placement result{{}, partial};
  for (const Entry& entry : shard) {
    auto rename = std::find_if(renames.begin(), renames.end(), [&](const auto& pair) { return pair.first == entry.first; });
    result.set(rename == renames.end() ? entry.first : rename->second, entry.second);
  }
  return result;
}

/// Sets the axes of a dimension. An empty list removes the entry, so equal placements have equal representations.
void Placement::set(DimId d, AxisList axes) {
  auto place = std::lower_bound(shard.begin(), shard.end(), d, before);
  bool present = place != shard.end() && place->first == d;
  if (axes.empty()) {
    if (present) shard.erase(place);
  } else if (present) {
    place->second = std::move(axes);
  } else {
    shard.insert(place, {d, std::move(axes)});
  }
}

}  // namespace opledger
