#include "accounting/stages.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

/// Layers that repeat stand in one row, group by group: a group whose segments take turns is so many rounds of so many layers of each. A piece is an
/// interval of the row, and of a segment it has those of its layers that lie before the end of the interval, less those before its start: a formula
/// (`among`), however many layers there are. The parts of a segment share out what it has in the same way, one behind the other, or, where a part lies
/// evenly among the next, by rounding down its share of the layers before each end (`mix`). Only if several segments that take turns have such parts are
/// layers gone through one by one, since each choice then depends on all before it (`choose_in_turn`). Stages whose pieces have equal content are one
/// class.
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

/// The same of layers that are told one by one.
std::pair<long long, long long> among_chosen(const std::vector<bool>& chosen, long long from, long long to) {
  const long long own = to <= from ? 0 : std::count(chosen.begin() + from, chosen.begin() + to, true);
  return {own, std::max(0LL, to - from) - own};
}

long long sum(const std::vector<SegmentLayers>& segments, std::size_t first, std::size_t end) {
  long long all = 0;
  for (std::size_t s = first; s < end; ++s) all += static_cast<long long>(segments[s].layers);
  return all;
}

/// By segments that lie evenly among others while segments take turns: which of the layers of both are theirs.
using Chosen = std::map<std::size_t, std::vector<bool>>;

/// Where several segments that take turns have such parts, all of these lie evenly together in the row of layers, not each among its own. As soon as the row has gone
/// on so far that one more is due, the next layer is one, unless its segment has fewer of them to come than others have; as soon as one is overdue, the next layer of
/// any segment; and a segment's last ones in any case. So stages of as many layers have as many (tests play out many rows).
Chosen choose_in_turn(const std::vector<SegmentLayers>& segments, std::size_t first, std::size_t end, long long rounds) {
  struct Turn {
    long long each = 0, skipped = 0, left = 0, quota = 0;  // layers of a round; before those in question; of these; of these to be chosen
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

/// Of a segment's parts, what is between two of its layers.
void share_out(const std::vector<SegmentLayers>& segments, std::size_t first, std::size_t end, long long from, long long to, const Chosen& chosen,
               std::vector<double>& out) {
  long long at = 0;  // layers of parts before this one
  for (std::size_t s = first; s < end; ++s) {
    const bool mixed = segments[s].even && s + 1 < end;
    const long long all = sum(segments, s, mixed ? s + 2 : s + 1), a = std::clamp(from - at, 0LL, all), b = std::clamp(to - at, 0LL, all);
    out[s] = static_cast<double>(b - a);
    at += all;
    if (!mixed) continue;
    const auto turns = chosen.find(s);
    const auto [own, others] = turns == chosen.end() ? mix(a, b, segments[s].layers, segments[s + 1].layers) : among_chosen(turns->second, a, b);
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
    const Chosen chosen = segments[first].group >= 0 ? choose_in_turn(segments, first, end, rounds) : Chosen{};
    long long offset = 0;
    for (std::size_t s = first, next = 0; s < end && all > 0; s = next) {
      next = end_of_whole(segments, s);
      const long long each = sum(segments, s, next) / rounds;
      const auto before = [&](long long layer) { return among(std::clamp(layer - at, 0LL, all), period, offset, each); };
      share_out(segments, s, next, before(from), before(to), chosen, out);
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
