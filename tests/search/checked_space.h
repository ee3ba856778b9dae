#pragma once
#include <string>
#include <utility>
#include <vector>

#include "search/sweep/sweep.h"
#include "tests/search/one_by_one.h"

/// Checks of whole sweeps against single evaluations of every candidate.
namespace opledger {

/// A search for a check; `space` may be a path. The first of `sums` is the second metric of the front, besides the objective.
struct SweepCase {
  const char *space, *model, *system;
  std::vector<std::pair<std::string, std::string>> settings;
  std::vector<std::string> sums;
  std::vector<std::string> stops = {};
  const char* where = nullptr;
};

/// Checks that a sweep agrees with single evaluations, bit for bit: counts, reasons, sums, the front, all feasible candidates and
/// the best ones.
void check_space(const SweepCase& c);

/// Checks a space that is read already and may have no feasible candidate. Returns the result of the sweep.
SweepResult check_sweep(Space& space, const std::vector<std::string>& sums, OneByOne::Sharing sharing = OneByOne::Sharing::structures);

}  // namespace opledger
