#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "search/space/assignment.h"
#include "search/sweep/exact_sum.h"
#include "search/sweep/front.h"

/// What has been found in some of the candidates of a space. Tallies of different candidates add up, and the sum doesn't depend on how they were divided.
namespace opledger {

struct Found {
  double score = 0;
  std::vector<double> values;  ///< By axis.
};

struct Tally {
  std::uint64_t candidates = 0, feasible = 0, skipped = 0;  ///< Skipped: no candidates, because an axis stopped before.
  std::map<std::string, std::uint64_t> infeasible;          ///< By reason.
  std::vector<ExactSum> sums;
  std::vector<Found> best;  ///< The best first; of equals, the first in the order of the space.
  Front front;
};

/// Which of two candidates is better, and how many of the best are kept.
struct Ranking {
  std::size_t top = 10;
  bool most = true;  ///< The largest score is the best.
};

/// Puts a candidate where it belongs among the best, and drops the last if there are too many.
void keep_best(std::vector<Found>& best, Found found, const Ranking& ranking, Assignment& order, Diagnostics& diagnostics);

void add(Tally& all, Tally&& some, const Ranking& ranking, Assignment& order, Diagnostics& diagnostics);

/// For a store, or for another process.
std::string packed(const Tally& tally);
/// Into a tally that knows its metrics. False: these are no such bytes.
bool unpack(std::string_view bytes, std::size_t axes, Tally& tally);

}  // namespace opledger
