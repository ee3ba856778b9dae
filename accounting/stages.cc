#include "accounting/stages.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace opledger {

std::string StageClass::name() const {
  if (count == 1) return fmt::format("{}", first);
  if (last - first + 1 == count) return fmt::format("{}-{}", first, last);
  return fmt::format("{}-{} ({} of them)", first, last, count);
}

namespace {

/// First layer of a stage: the first `total % stages` stages hold one more.
long long start_of(long long stage, long long total, long long stages) { return stage * (total / stages) + std::min(stage, total % stages); }

/// The segments from `first` on that take turns with it: one past the last of them.
std::size_t end_of_group(const std::vector<SegmentLayers>& segments, std::size_t first) {
  std::size_t end = first + 1;
  while (segments[first].group >= 0 && end < segments.size() && segments[end].group == segments[first].group) ++end;
  return end;
}

/// Of the first `count` layers of a group whose rounds have `period` layers, those that stand from `offset` to `offset + each` in their round.
long long among(long long count, long long period, long long offset, long long each) {
  return count / period * each + std::clamp(count % period - offset, 0LL, each);
}

/// Of the layers [from, to), how many are of the first of two segments that lie evenly among each other, and how many of the second.
std::pair<long long, long long> mix(long long from, long long to, double first, double second) {
  const long long n = static_cast<long long>(first), all = n + static_cast<long long>(second);
  if (all == 0 || to <= from) return {0, 0};
  const long long own = to * n / all - from * n / all;
  return {own, to - from - own};
}

std::vector<double> content(long long stage, long long stages, const std::vector<SegmentLayers>& segments, long long total) {
  const long long from = start_of(stage, total, stages), to = start_of(stage + 1, total, stages);
  std::vector<double> out(segments.size(), 0);
  long long at = 0;  // layers of repeated segments before this one
  for (std::size_t first = 0, end = 0; first < segments.size(); first = end) {
    end = end_of_group(segments, first);
    if (!segments[first].repeated) {
      const long long beside = at == 0 ? 0 : at - 1;  // the layer that it stays with
      const bool here = total == 0 ? stage == 0 : at == total ? stage == stages - 1 : beside >= from && beside < to;
      if (here) out[first] = segments[first].layers;
      continue;
    }
    if (segments[first].even && end < segments.size()) {
      const double own = segments[first].layers, others = segments[end].layers;
      const long long both = static_cast<long long>(own + others);
      const auto [a, b] = mix(std::clamp(from - at, 0LL, both), std::clamp(to - at, 0LL, both), own, others);
      out[first] = static_cast<double>(a);
      out[end] = static_cast<double>(b);
      at += both;
      ++end;
      continue;
    }
    long long all = 0, offset = 0;
    for (std::size_t s = first; s < end; ++s) all += static_cast<long long>(segments[s].layers);
    const long long rounds = std::max(1LL, static_cast<long long>(segments[first].rounds)), period = all / rounds;
    for (std::size_t s = first; s < end && all > 0; ++s) {
      const long long each = static_cast<long long>(segments[s].layers) / rounds;
      const auto before = [&](long long layer) { return among(std::clamp(layer - at, 0LL, all), period, offset, each); };
      out[s] = static_cast<double>(before(to) - before(from));
      offset += each;
    }
    at += all;
  }
  return out;
}

}  // namespace

std::vector<StageClass> split_stages(const std::vector<SegmentLayers>& segments, long long stages) {
  long long total = 0;
  for (const SegmentLayers& s : segments) total += s.repeated ? static_cast<long long>(s.layers) : 0;
  std::vector<StageClass> classes;
  for (long long stage = 0; stage < stages; ++stage) {
    std::vector<double> here = content(stage, stages, segments, total);
    auto found = std::find_if(classes.begin(), classes.end(), [&](const StageClass& c) { return c.layers == here; });
    if (found == classes.end()) {
      classes.push_back({std::move(here), stage, stage, 0});
      found = classes.end() - 1;
    }
    found->last = stage;
    ++found->count;
  }
  return classes;
}

}  // namespace opledger
