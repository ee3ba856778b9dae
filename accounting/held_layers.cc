#include "accounting/held_layers.h"

#include <algorithm>

namespace opledger {

Scalar HeldLayers::layers(std::size_t stage, SegmentId segment) {
  if (layouts_.one_stage()) return layers_[segment];
  const auto [known, fresh] = numbers_.try_emplace({stage, segment});
  if (fresh) known->second = layouts_.number([&](const StageClasses& classes) { return classes[stage].layers(segment.index()); });
  return known->second;
}

const HeldLayers::Held& HeldLayers::first(std::size_t stage, std::vector<SegmentId> others, SegmentId segment) {
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  const auto [known, fresh] = held_.try_emplace({stage, std::move(others), segment});
  if (!fresh) return known->second;
  const auto has = [stage](const StageClasses& classes, SegmentId s) { return classes[stage].layers(s.index()) != 0; };
  const std::vector<SegmentId>& before = std::get<1>(known->first);
  const auto is_first = [&](const StageClasses& classes) {
    return has(classes, segment) && std::none_of(before.begin(), before.end(), [&](SegmentId s) { return has(classes, s); });
  };
  known->second.ever = layouts_.ever(is_first);
  known->second.whether = known->second.ever ? layouts_.whether(is_first) : truth(false);
  return known->second;
}

}  // namespace opledger
