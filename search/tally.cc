#include "search/tally.h"

#include <algorithm>

namespace opledger {

void keep_best(std::vector<Found>& best, Found found, const Ranking& ranking, Assignment& order, Diagnostics& diagnostics) {
  const auto better = [&](const Found& a, const Found& b) {
    if (a.score != b.score) return ranking.most ? a.score > b.score : a.score < b.score;
    return order.precedes(a.values, b.values, diagnostics);
  };
  const auto place = std::upper_bound(best.begin(), best.end(), found, better);
  best.insert(place, std::move(found));
  if (best.size() > ranking.top) best.pop_back();
}

void add(Tally& all, Tally&& some, const Ranking& ranking, Assignment& order, Diagnostics& diagnostics) {
  all.candidates += some.candidates;
  all.feasible += some.feasible;
  for (const auto& [reason, count] : some.infeasible) all.infeasible[reason] += count;
  all.sums.resize(std::max(all.sums.size(), some.sums.size()));
  for (std::size_t m = 0; m < some.sums.size(); ++m) all.sums[m].add(some.sums[m]);
  for (Found& found : some.best) keep_best(all.best, std::move(found), ranking, order, diagnostics);
  for (FrontPoint& point : some.front.take()) all.front.add(std::move(point), order, diagnostics);
}

}  // namespace opledger
