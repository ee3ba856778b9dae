#include "search/sweep/guarded_trace.h"

namespace opledger {

Filter JointGuards::filter(const FreeAxes& free, const std::vector<std::vector<double>>& candidates) const {
  return Filter(axes_, candidates, guards_.hold(free.columns(candidates).pointers, candidates.size()));
}

}  // namespace opledger
