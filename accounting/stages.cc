#include "accounting/stages.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

/// Repeated layers form one row, group by group. A group whose segments take turns is a number of equal rounds, each
/// with some layers of every segment. A chunk is an interval of the row.
/// A segment's layers in an interval are the difference of two counts, one for each end. The count has a closed form
/// (`among`), so the cost does not depend on the number of layers. Parts of a segment divide its layers in the same
/// way, consecutively. A part that lies evenly among the next one gets its rounded-down proportion (`mix`).
/// Only several such parts in segments that take turns need a walk over the layers, since each choice depends on all
/// earlier choices (`choose_in_turn`). Stages whose chunks have equal content form one class.
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
    out.chunk_layers.push_back(layers / stages + (k < layers % stages ? 1 : 0));
    out.stages.push_back({static_cast<std::size_t>(k)});
  }
  return out;
}

namespace {

/// Returns the end of the parts of the segment that begins at `first`, exclusive. Parts of one segment have equal
/// numbers `whole`; an `even` part belongs together with the part after it.
std::size_t end_of_whole(const std::vector<SegmentLayers>& segments, std::size_t first) {
  std::size_t end = first + 1;
  const auto joins = [&] { return segments[end - 1].even || (segments[first].whole >= 0 && segments[end].whole == segments[first].whole); };
  while (end < segments.size() && joins()) ++end;
  return end;
}

/// Returns the end of the group that begins at `first`, exclusive, with all parts of its segments.
std::size_t end_of_group(const std::vector<SegmentLayers>& segments, std::size_t first) {
  std::size_t end = end_of_whole(segments, first);
  while (segments[first].group >= 0 && end < segments.size() && segments[end].group == segments[first].group) end = end_of_whole(segments, end);
  return end;
}

/// Counts, among the first `count` layers of a group with rounds of `period` layers, those at positions `offset` to
/// `offset + each` of their round.
long long count_in_rounds(long long count, long long period, long long offset, long long each) {
  return count / period * each + std::clamp(count % period - offset, 0LL, each);
}

/// Splits the layers [from, to) between two segments that lie evenly among each other; returns the layers of each.
std::pair<long long, long long> split_evenly(long long from, long long to, double first, double second) {
  const long long n = static_cast<long long>(first), all = n + static_cast<long long>(second);
  if (all == 0 || to <= from) return {0, 0};
  const long long own = to * n / all - from * n / all;
  return {own, to - from - own};
}

/// Splits the layers [from, to) between two segments by the recorded choice of each layer.
std::pair<long long, long long> split_chosen(const std::vector<bool>& chosen, long long from, long long to) {
  const long long own = to <= from ? 0 : std::count(chosen.begin() + from, chosen.begin() + to, true);
  return {own, std::max(0LL, to - from) - own};
}

/// Returns the layers of the segments [first, end).
long long sum(const std::vector<SegmentLayers>& segments, std::size_t first, std::size_t end) {
  long long all = 0;
  for (std::size_t s = first; s < end; ++s) all += static_cast<long long>(segments[s].layers);
  return all;
}

/// Recorded choices, by the segment that lies evenly among the next one. Each of the two segments' layers, in order,
/// has a truth: the layer belongs to the first segment.
using Chosen = std::map<std::size_t, std::vector<bool>>;

/// Decides which layers belong to even parts, if several segments that take turns have such parts. An even part lies
/// evenly among the layers of the part after it. Here the even parts of all segments [first, end) are spread together
/// over their common row of layers. Stages with equal numbers of layers then hold equal numbers of chosen layers (a
/// test covers many rows). The walk over the row is a Bresenham-like scheduler: of `all` layers, `due` must be chosen,
/// so after m layers about m * due / all are. A layer is chosen if one is due by this quota and its segment is not less
/// dense in remaining choices than the whole row. A layer is also chosen if one is overdue, or if its segment must
/// choose all its remaining layers. Returns nothing if fewer than two segments have such parts: `split_evenly` then
/// suffices. The cost is linear in the layers.
Chosen choose_in_turn(const std::vector<SegmentLayers>& segments, std::size_t first, std::size_t end, long long rounds) {
  struct Turn {
    // Layers of the segment in a round; layers before the even part that are not passed yet; layers of the even part
    // and the part after it that are not passed yet; choices left for these layers.
    long long each = 0, skipped = 0, left = 0, quota = 0;
    std::vector<bool>* chosen = nullptr;
  };
  Chosen out;
  std::vector<Turn> turns;
  long long all = 0, due = 0;
  for (std::size_t s = first, next = 0; s < end; s = next) {
    next = end_of_whole(segments, s);
    Turn turn;
    turn.each = sum(segments, s, next) / rounds;
    for (std::size_t part = s; part < next && !segments[part].even; ++part) turn.skipped += static_cast<long long>(segments[part].layers);
    const auto even = std::find_if(segments.begin() + static_cast<std::ptrdiff_t>(s), segments.begin() + static_cast<std::ptrdiff_t>(next),
                                   [](const SegmentLayers& part) { return part.even; });
    const auto at = static_cast<std::size_t>(even - segments.begin());
    if (at + 1 < next) {
      turn.left = sum(segments, at, at + 2);
      turn.quota = static_cast<long long>(even->layers);
      turn.chosen = &out[at];
    }
    all += turn.left;
    due += turn.quota;
    turns.push_back(turn);
  }
  if (out.size() < 2) return {};
  // Layers that were decided, and choices made, over all segments.
  long long met = 0, taken = 0;
  for (long long round = 0; round < rounds; ++round) {
    for (Turn& turn : turns) {
      for (long long layer = 0; layer < turn.each; ++layer) {
        if (turn.skipped-- > 0 || turn.left == 0) continue;
        const bool is_due = taken * all < (met + 1) * due, overdue = (taken + 1) * all <= (met + 1) * due;
        const bool dense = turn.quota * (all - met) >= (due - taken) * turn.left;
        const bool takes = turn.quota > 0 && (turn.quota == turn.left || overdue || (is_due && dense));
        ++met;
        --turn.left;
        turn.chosen->push_back(takes);
        if (takes) ++taken, --turn.quota;
      }
    }
  }
  return out;
}

/// Divides the layers [from, to) of a segment among its parts [first, end) and stores the numbers in `out`. Parts
/// follow each other, except that an even part mixes with the next part: then a closed form, or the recorded choices,
/// count its layers.
void divide_among_parts(const std::vector<SegmentLayers>& segments, std::size_t first, std::size_t end, long long from, long long to, const Chosen& chosen,
                        std::vector<double>& out) {
  long long at = 0;  // Layers of the parts so far.
  for (std::size_t s = first; s < end; ++s) {
    const bool mixed = segments[s].even && s + 1 < end;
    const long long all = sum(segments, s, mixed ? s + 2 : s + 1), a = std::clamp(from - at, 0LL, all), b = std::clamp(to - at, 0LL, all);
    out[s] = static_cast<double>(b - a);
    at += all;
    if (!mixed) continue;
    const auto turns = chosen.find(s);
    const auto [own, others] = turns == chosen.end() ? split_evenly(a, b, segments[s].layers, segments[s + 1].layers) : split_chosen(turns->second, a, b);
    out[s] = static_cast<double>(own);
    out[++s] = static_cast<double>(others);
  }
}

/// Returns the layers of each segment in one chunk: the repeated layers from `from` to `to`, exclusive, of `total`.
/// Repeated layers form one row, group by group. A group whose segments take turns consists of equal rounds of `period`
/// layers, each with `each` layers of every segment. A segment's layers in the chunk are the difference of two counts
/// in closed form, one for each end (`before`). They are then divided among its parts. A segment that is not repeated
/// stays in the chunk of the layer before it; at either end of the model, in the first or last chunk. Linear in the
/// segments, except for `choose_in_turn`.
std::vector<double> content(const std::vector<SegmentLayers>& segments, long long from, long long to, long long total, bool first_chunk, bool last_chunk) {
  std::vector<double> out(segments.size(), 0);
  long long at = 0;  // Repeated layers of the groups so far.
  for (std::size_t first = 0, end = 0; first < segments.size(); first = end) {
    end = end_of_group(segments, first);
    if (!segments[first].repeated) {
      const bool here = at == 0 ? first_chunk : at == total ? last_chunk : at > from && at <= to;  // The segment stays with the layer before it.
      if (here) out[first] = segments[first].layers;
      continue;
    }
    const long long all = sum(segments, first, end), rounds = std::max(1LL, static_cast<long long>(segments[first].rounds)), period = all / rounds;
    const Chosen chosen = segments[first].group >= 0 ? choose_in_turn(segments, first, end, rounds) : Chosen{};
    long long offset = 0;  // Layers of a round that precede the segment.
    for (std::size_t s = first, next = 0; s < end && all > 0; s = next) {
      next = end_of_whole(segments, s);
      const long long each = sum(segments, s, next) / rounds;
      const auto before = [&](long long layer) { return count_in_rounds(std::clamp(layer - at, 0LL, all), period, offset, each); };
      divide_among_parts(segments, s, next, before(from), before(to), chosen, out);
      offset += each;
    }
    at += all;
  }
  return out;
}

/// Returns the layers of each segment in each chunk; chunks divide the repeated layers in order.
std::vector<std::vector<double>> assign_layers(const std::vector<SegmentLayers>& segments, const std::vector<long long>& chunk_layers) {
  const long long total = std::accumulate(chunk_layers.begin(), chunk_layers.end(), 0LL);
  std::vector<std::vector<double>> out;
  long long from = 0;
  for (const long long layers : chunk_layers) {
    const bool first = out.empty(), last = out.size() + 1 == chunk_layers.size();
    out.push_back(content(segments, from, from + layers, total, first, last));
    from += layers;
  }
  return out;
}

bool same_layers(const StageClass& a, const std::vector<StageClass::Part>& parts) {
  return std::equal(a.parts.begin(), a.parts.end(), parts.begin(), parts.end(), [](const auto& x, const auto& y) { return x.layers == y.layers; });
}

}  // namespace

/// Compares the chunks of each stage with those of all classes so far; stages of equal content join the class. The cost
/// is stages times classes.
std::vector<StageClass> split_stages(const std::vector<SegmentLayers>& segments, const Pipeline& pipeline) {
  const std::vector<std::vector<double>> content = assign_layers(segments, pipeline.chunk_layers);
  std::vector<StageClass> classes;
  for (std::size_t stage = 0; stage < pipeline.stages.size(); ++stage) {
    std::vector<std::size_t> chunks = pipeline.stages[stage];
    std::sort(chunks.begin(), chunks.end());
    std::vector<StageClass::Part> parts;
    for (const std::size_t chunk : chunks) parts.push_back({chunk, content[chunk]});
    auto found = std::find_if(classes.begin(), classes.end(), [&](const StageClass& c) { return same_layers(c, parts); });
    if (found == classes.end()) found = classes.insert(classes.end(), {std::move(parts), {}});
    found->positions.push_back(static_cast<long long>(stage));
  }
  return classes;
}

}  // namespace opledger
