#include "search/sweep/tally.h"

#include <algorithm>

#include "base/packing.h"

namespace opledger {

void keep_best(std::vector<ScoredCandidate>& best, ScoredCandidate found, const Ranking& ranking, Assignment& order, Diagnostics& diagnostics) {
  const auto better = [&](const ScoredCandidate& a, const ScoredCandidate& b) {
    if (a.score != b.score) return ranking.maximize ? a.score > b.score : a.score < b.score;
    return order.precedes(a.values, b.values, diagnostics);
  };
  const auto place = std::upper_bound(best.begin(), best.end(), found, better);
  best.insert(place, std::move(found));
  if (best.size() > ranking.top) best.pop_back();
}

void add(Tally& all, Tally&& some, const Ranking& ranking, Assignment& order, Diagnostics& diagnostics) {
  all.candidates += some.candidates;
  all.feasible += some.feasible;
  all.skipped += some.skipped;
  for (const auto& [reason, count] : some.infeasible) all.infeasible[reason] += count;
  all.sums.resize(std::max(all.sums.size(), some.sums.size()));
  for (std::size_t m = 0; m < some.sums.size(); ++m) all.sums[m].add(some.sums[m]);
  for (ScoredCandidate& found : some.best) keep_best(all.best, std::move(found), ranking, order, diagnostics);
  for (FrontPoint& point : some.front.take()) all.front.add(std::move(point), order, diagnostics);
}

/// Serializes a tally, the result of a set of candidates. Layout: numbers of candidates, reasons of refusal with their
/// counts, states of the exact sums, best candidates, points of the front. Lists begin with their length, except the
/// sums: the reader knows their number from the request.
std::string packed(const Tally& tally) {
  Packer out;
  out.put(tally.candidates);
  out.put(tally.feasible);
  out.put(tally.skipped);
  out.put(std::uint64_t{tally.infeasible.size()});
  for (const auto& [reason, count] : tally.infeasible) {
    out.put(reason);
    out.put(count);
  }
  for (const ExactSum& sum : tally.sums) {
    const ExactSum::State state = sum.state();
    for (const std::int64_t digit : state.digits) out.put(digit);
    out.put(state.special);
  }
  out.put(std::uint64_t{tally.best.size()});
  for (const ScoredCandidate& found : tally.best) {
    out.put(found.score);
    out.put(found.values);
  }
  out.put(std::uint64_t{tally.front.points().size()});
  for (const FrontPoint& point : tally.front.points()) {
    out.put(point.metrics);
    out.put(point.values);
    out.put(point.multiplicity);
  }
  return out.take();
}

/// Reads the layout of `packed`: numbers, reasons, sums, best candidates, points of the front. `tally` is empty, but
/// has as many sums and front metrics as the packed tally. The bytes are untrusted: loops end at the end of the bytes,
/// whatever a length says, and the numbers of axis values and of front metrics must fit. Returns false if a test fails
/// or bytes are left over.
bool unpack(std::string_view bytes, std::size_t axes, Tally& tally) {
  Unpacker in(bytes);
  std::uint64_t count = 0;
  in.get(tally.candidates);
  in.get(tally.feasible);
  in.get(tally.skipped);
  in.get(count);
  for (; count > 0 && in.good(); --count) {
    std::string reason;
    in.get(reason);
    in.get(tally.infeasible[reason]);
  }
  for (ExactSum& sum : tally.sums) {
    ExactSum::State state;
    for (std::int64_t& digit : state.digits) in.get(digit);
    in.get(state.special);
    sum = ExactSum(state);
  }
  count = 0;
  in.get(count);
  for (; count > 0 && in.good(); --count) {
    ScoredCandidate& found = tally.best.emplace_back();
    in.get(found.score);
    in.get(found.values);
    if (found.values.size() != axes) return false;
  }
  count = 0;
  in.get(count);
  std::vector<FrontPoint> points;
  for (; count > 0 && in.good(); --count) {
    FrontPoint& point = points.emplace_back();
    in.get(point.metrics);
    in.get(point.values);
    in.get(point.multiplicity);
    if (point.values.size() != axes || point.metrics.size() != tally.front.metrics()) return false;
  }
  tally.front.restore(std::move(points));
  return in.at_end();
}

}  // namespace opledger
