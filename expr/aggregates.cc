#include "expr/aggregates.h"

#include <algorithm>
#include <array>

namespace opledger {
namespace {

constexpr std::array<const char*, 9> kNames = {"sum", "product", "max", "min", "mean", "any", "all", "running", "count"};
static_assert(static_cast<std::size_t>(Aggregate::count) + 1 == kNames.size());

}  // namespace

const char* name_of(Aggregate aggregate) { return kNames[static_cast<std::size_t>(aggregate)]; }

std::optional<Aggregate> aggregate_named(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Aggregate>(found - kNames.begin());
}

}  // namespace opledger
