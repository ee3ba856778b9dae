#include "accounting/stages.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace opledger {

std::string StageClass::name() const {
  if (count() == 1) return fmt::format("{}", first());
  if (last() - first() + 1 == count()) return fmt::format("{}-{}", first(), last());
  if (count() == 2) return fmt::format("{}, {}", first(), last());
  return fmt::format("{}-{} ({} of them)", first(), last(), count());
}

std::vector<double> StageClass::layers() const {
  std::vector<double> out(parts.empty() ? 0 : parts[0].layers.size(), 0);
  for (const Part& part : parts) {
    for (std::size_t s = 0; s < out.size(); ++s) out[s] += part.layers[s];
  }
  return out;
}

double StageClass::layers(std::size_t segment) const {
  double out = 0;
  for (const Part& part : parts) out += part.layers[segment];
  return out;
}

Pipeline even_pipeline(long long layers, long long stages) {
  Pipeline out;
  for (long long k = 0; k < stages; ++k) {
    out.pieces.push_back(layers / stages + (k < layers % stages ? 1 : 0));
    out.stages.push_back({static_cast<std::size_t>(k)});
  }
  return out;
}

namespace {

/// The parts of a segment from `first` on: one past the last of them.
std::size_t end_of_whole(const std::vector<SegmentLayers>& segments, std::size_t first) {
  std::size_t end = first + 1;
  const auto joins = [&] { return segments[end - 1].even || (segments[first].whole >= 0 && segments[end].whole == segments[first].whole); };
  while (end < segments.size() && joins()) ++end;
  return end;
}

/// The segments from `first` on that take turns with it, with all their parts: one past the last of them.
std::size_t end_of_group(const std::vector<SegmentLayers>& segments, std::size_t first) {
  std::size_t end = end_of_whole(segments, first);
  while (segments[first].group >= 0 && end < segments.size() && segments[end].group == segments[first].group) end = end_of_whole(segments, end);
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

long long sum(const std::vector<SegmentLayers>& segments, std::size_t first, std::size_t end) {
  long long all = 0;
  for (std::size_t s = first; s < end; ++s) all += static_cast<long long>(segments[s].layers);
  return all;
}

/// Of a segment's parts, what is between two of its layers.
void share_out(const std::vector<SegmentLayers>& segments, std::size_t first, std::size_t end, long long from, long long to, std::vector<double>& out) {
  long long at = 0;  // layers of parts before this one
  for (std::size_t s = first; s < end; ++s) {
    const bool mixed = segments[s].even && s + 1 < end;
    const long long all = sum(segments, s, mixed ? s + 2 : s + 1), a = std::clamp(from - at, 0LL, all), b = std::clamp(to - at, 0LL, all);
    out[s] = static_cast<double>(b - a);
    at += all;
    if (!mixed) continue;
    const auto [own, others] = mix(a, b, segments[s].layers, segments[s + 1].layers);
    out[s] = static_cast<double>(own);
    out[++s] = static_cast<double>(others);
  }
}

/// Of each segment, what lies in one piece: the layers that repeat from `from` to `to`, of `total`.
std::vector<double> content(const std::vector<SegmentLayers>& segments, long long from, long long to, long long total, bool first_piece, bool last_piece) {
  std::vector<double> out(segments.size(), 0);
  long long at = 0;  // layers of repeated segments before this one
  for (std::size_t first = 0, end = 0; first < segments.size(); first = end) {
    end = end_of_group(segments, first);
    if (!segments[first].repeated) {
      const bool here = at == 0 ? first_piece : at == total ? last_piece : at > from && at <= to;  // beside the layer before it
      if (here) out[first] = segments[first].layers;
      continue;
    }
    const long long all = sum(segments, first, end), rounds = std::max(1LL, static_cast<long long>(segments[first].rounds)), period = all / rounds;
    long long offset = 0;
    for (std::size_t s = first, next = 0; s < end && all > 0; s = next) {
      next = end_of_whole(segments, s);
      const long long each = sum(segments, s, next) / rounds;
      const auto before = [&](long long layer) { return among(std::clamp(layer - at, 0LL, all), period, offset, each); };
      share_out(segments, s, next, before(from), before(to), out);
      offset += each;
    }
    at += all;
  }
  return out;
}

std::vector<std::vector<double>> deal(const std::vector<SegmentLayers>& segments, const std::vector<long long>& pieces) {
  const long long total = std::accumulate(pieces.begin(), pieces.end(), 0LL);
  std::vector<std::vector<double>> out;
  long long from = 0;
  for (const long long layers : pieces) {
    const bool first = out.empty(), last = out.size() + 1 == pieces.size();
    out.push_back(content(segments, from, from + layers, total, first, last));
    from += layers;
  }
  return out;
}

bool alike(const StageClass& a, const std::vector<StageClass::Part>& parts) {
  return std::equal(a.parts.begin(), a.parts.end(), parts.begin(), parts.end(), [](const auto& x, const auto& y) { return x.layers == y.layers; });
}

}  // namespace

std::vector<StageClass> split_stages(const std::vector<SegmentLayers>& segments, const Pipeline& pipeline) {
  const std::vector<std::vector<double>> content = deal(segments, pipeline.pieces);
  std::vector<StageClass> classes;
  for (std::size_t stage = 0; stage < pipeline.stages.size(); ++stage) {
    std::vector<std::size_t> held = pipeline.stages[stage];
    std::sort(held.begin(), held.end());
    std::vector<StageClass::Part> parts;
    for (const std::size_t piece : held) parts.push_back({piece, content[piece]});
    auto found = std::find_if(classes.begin(), classes.end(), [&](const StageClass& c) { return alike(c, parts); });
    if (found == classes.end()) found = classes.insert(classes.end(), {std::move(parts), {}});
    found->positions.push_back(static_cast<long long>(stage));
  }
  return classes;
}

}  // namespace opledger
