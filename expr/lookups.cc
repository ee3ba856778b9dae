#include "expr/lookups.h"

#include <algorithm>

namespace opledger {

std::uint32_t Lookups::append(std::vector<double> table) {
  tables_.push_back(std::move(table));
  return static_cast<std::uint32_t>(tables_.size() - 1);
}

std::uint32_t Lookups::append(std::shared_ptr<const Curve> curve) {
  curves_.push_back(std::move(curve));
  return static_cast<std::uint32_t>(curves_.size() - 1);
}

std::uint32_t Lookups::add(std::span<const double> table) {
  std::string content(reinterpret_cast<const char*>(table.data()), table.size_bytes());
  const auto [found, fresh] = table_index_.try_emplace(std::move(content), static_cast<std::uint32_t>(tables_.size()));
  if (fresh) tables_.emplace_back(table.begin(), table.end());
  return found->second;
}

std::uint32_t Lookups::add(const std::shared_ptr<const Curve>& curve) {
  if (const auto found = curve_index_.find(curve.get()); found != curve_index_.end()) return found->second;
  const auto equal = std::find_if(curves_.begin(), curves_.end(), [&](const auto& other) { return *other == *curve; });
  if (equal != curves_.end()) return static_cast<std::uint32_t>(equal - curves_.begin());
  curves_.push_back(curve);
  return curve_index_[curve.get()] = static_cast<std::uint32_t>(curves_.size() - 1);
}

}  // namespace opledger
