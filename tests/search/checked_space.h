#pragma once
#include <string>
#include <utility>
#include <vector>

#include "search/sweep/sweep.h"
#include "tests/search/one_by_one.h"

/// Whole sweeps, judged candidate by candidate.
namespace opledger {

/// A search; `space` may be a path. The first of `sums` is the second metric of the front, besides the objective.
struct SweepCase {
  const char *space, *model, *system;
  std::vector<std::pair<std::string, std::string>> settings;
  std::vector<std::string> sums;
  std::vector<std::string> stops = {};
  const char* where = nullptr;
};

/// Checks that a sweep finds what evaluating every candidate alone finds: counts, reasons, sums, the front, all that is feasible and the best, to the bit.
void check_space(const SweepCase& c);

/// The same of a space that was read, and that may have nothing feasible. What was found: counts, structures.
SweepResult check_sweep(Space& space, const std::vector<std::string>& sums, OneByOne::Sharing sharing = OneByOne::Sharing::structures);

}  // namespace opledger
