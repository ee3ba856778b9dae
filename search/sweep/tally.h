#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "search/space/assignment.h"
#include "search/sweep/exact_sum.h"
#include "search/sweep/front.h"

/// The result of evaluating a set of candidates. Tallies of disjoint sets add up, and the sum does not depend on how the
/// candidates were divided.
namespace opledger {

/// A feasible candidate with its objective.
struct ScoredCandidate {
  double score = 0;            ///< Value of the objective.
  std::vector<double> values;  ///< One value per axis.
};

/// Counts, sums, best candidates and Pareto front of a set of candidates.
struct Tally {
  /// Numbers of evaluated candidates, of feasible candidates, and of combinations skipped because an axis stopped early.
  std::uint64_t candidates = 0, feasible = 0, skipped = 0;
  std::map<std::string, std::uint64_t> infeasible;  ///< Number of refused candidates for each reason.
  std::vector<ExactSum> sums;                       ///< Sums of requested metrics over feasible candidates.
  std::vector<ScoredCandidate> best;                ///< Best first; equal scores in the order of the space.
  Front front;                                      ///< Pareto front of the feasible candidates.
};

/// The rule for the list of best candidates.
struct Ranking {
  std::size_t top = 10;  ///< Largest length of the list.
  bool maximize = true;  ///< The largest score is the best; else the smallest.
};

/// Inserts a candidate into the sorted list of the best, and drops the last candidate beyond `ranking.top`. Equal
/// scores are sorted by the order of the space, which `order` compares; its errors go to `diagnostics`.
void keep_best(std::vector<ScoredCandidate>& best, ScoredCandidate found, const Ranking& ranking, Assignment& order, Diagnostics& diagnostics);

/// Adds the tally `some` to `all`. Both must describe disjoint sets of candidates.
void add(Tally& all, Tally&& some, const Ranking& ranking, Assignment& order, Diagnostics& diagnostics);

/// Serializes a tally for a store or another process.
std::string packed(const Tally& tally);
/// Reads packed bytes into an empty tally with the same numbers of sums and front metrics. `axes`: number of axes of
/// the space. Returns false if the bytes are no packed tally; any bytes are safe input.
bool unpack(std::string_view bytes, std::size_t axes, Tally& tally);

}  // namespace opledger
