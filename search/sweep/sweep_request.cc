#include "search/sweep/sweep_request.h"

#include <algorithm>

#include "search/space/free_axes.h"

namespace opledger {

Query query_of(const Space& space, const SweepRequest& request) {
  Query out = query_of(space);
  out.constraints = true;
  out.outputs = {space.objective};
  out.outputs.insert(out.outputs.end(), request.sums.begin(), request.sums.end());
  for (const FrontMetric& metric : request.front) out.outputs.push_back(metric.name);
  for (const std::vector<std::string>& names : {request.metrics, request.single_metrics}) out.outputs.insert(out.outputs.end(), names.begin(), names.end());
  return out;
}

/// Divides the space into kShares ranges, or kSharesEach for each process, so that processes finish at about the same
/// time. The result is at least kFewest. Its upper limit depends on the use: `max_listed` for the memory of listed
/// rows; kMost if every range repeats stop searches; kMostShared between processes. One process alone uses kMostAlone.
/// A space of unknown size uses the upper limit.
std::uint64_t max_range_size(std::uint64_t total, const SweepRequest& request, bool stops) {
  constexpr std::uint64_t kFewest = 1 << 10, kMost = 1 << 18, kMostShared = 1 << 22, kMostAlone = 1 << 25, kShares = 16, kSharesEach = 8;
  const auto cut = [&](std::uint64_t shares, std::uint64_t most) { return total == 0 ? most : std::clamp(total / shares, kFewest, most); };
  if (request.list) return cut(kShares, request.max_listed);
  if (stops) return cut(kShares, kMost);
  return request.process_count == 0 ? kMostAlone : cut(kSharesEach * request.process_count, kMostShared);
}

}  // namespace opledger
