#include "search/space/region.h"

#include <algorithm>
#include <bit>

namespace opledger {

Filter::Filter(AxisSet axes, const std::vector<std::vector<double>>& candidates, const std::vector<bool>& holds) : axes_(axes) {
  // Builds a dense table: one column for each axis, with the distinct values that occur, and one bit for each cell of the
  // Cartesian product of the columns. Cells without a candidate stay false in both tables. Memory is the product of the
  // numbers of distinct values, even if few combinations occur. A search then needs one lookup for each test.
  Table table;
  std::size_t size = 1;
  for (AxisSet rest = axes; rest != 0; rest &= rest - 1) {
    const auto axis = static_cast<std::size_t>(std::countr_zero(rest));
    std::vector<double> values;
    for (const auto& candidate : candidates) values.push_back(candidate[axis]);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    size *= values.size();
    table.order.push_back({axis, std::move(values), {}});
  }
  table.occurring.resize(size);
  table.allowed.resize(size);
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    std::size_t at = 0;
    for (std::size_t a = 0; a < table.order.size(); ++a) at = at * table.order[a].values.size() + table.position(a, candidates[c][table.order[a].axis]);
    table.occurring[at] = true;
    table.allowed[at] = holds[c];
  }
  table.find_prefixes();
  table_ = std::make_shared<const Table>(std::move(table));
}

std::size_t Filter::Table::position(std::size_t axis, double value) const {
  const std::vector<double>& values = order[axis].values;
  const auto found = std::lower_bound(values.begin(), values.end(), value);
  return found != values.end() && *found == value ? static_cast<std::size_t>(found - values.begin()) : values.size();
}

void Filter::Table::find_prefixes() {
  // Computes the prefix tables from the innermost axis outwards: a prefix is possible if any of its extensions is.
  // The total cost is linear in the size of the table.
  digest = std::hash<std::vector<bool>>()(allowed);
  std::vector<bool> possible = allowed;
  for (std::size_t a = order.size(); a-- > 0;) {
    order[a].prefixes = possible;
    const std::size_t count = order[a].values.size();
    std::vector<bool> before(possible.size() / count);
    for (std::size_t i = 0; i < possible.size(); ++i) {
      if (possible[i]) before[i / count] = true;
    }
    possible = std::move(before);
  }
}

bool Filter::empty() const { return !contains(table_->allowed, true); }

Filter Filter::inverse() const {
  Table table = *table_;
  for (std::size_t i = 0; i < table.allowed.size(); ++i) table.allowed[i] = table.occurring[i] && !table.allowed[i];
  table.find_prefixes();
  Filter out = *this;
  out.table_ = std::make_shared<const Table>(std::move(table));
  return out;
}

void Filter::restrict_to(const Filter& other) {
  // Decodes each allowed index into values and asks the other filter. The new table replaces the shared one only if a
  // combination was removed.
  Table table = *table_;
  std::vector<double> values(kMaxSpaceAxes);
  bool narrower = false;
  for (std::size_t i = 0; i < table.allowed.size(); ++i) {
    if (!table.allowed[i]) continue;
    std::size_t rest = i;
    for (std::size_t a = table.order.size(); a-- > 0; rest /= table.order[a].values.size())
      values[table.order[a].axis] = table.order[a].values[rest % table.order[a].values.size()];
    if (other.admits(axes_, values)) continue;
    table.allowed[i] = false;
    narrower = true;
  }
  if (!narrower) return;
  table.find_prefixes();
  table_ = std::make_shared<const Table>(std::move(table));
}

bool Filter::admits(AxisSet known, const std::vector<double>& values) const {
  // Computes the index of the longest known prefix of axes and looks it up in the prefix table of its last axis.
  const std::vector<Axis>& order = table_->order;
  std::size_t at = 0, a = 0;
  for (; a < order.size() && (known & axis_bit(order[a].axis)) != 0; ++a) {
    const std::size_t p = table_->position(a, values[order[a].axis]);
    if (p == order[a].values.size()) return false;
    at = at * order[a].values.size() + p;
  }
  return a == 0 || order[a - 1].prefixes[at];
}

const double* Filter::only(std::size_t axis) const {
  // Scans the allowed combinations and compares the axis's values until two differ.
  const std::vector<Axis>& order = table_->order;
  const auto found = std::find_if(order.begin(), order.end(), [&](const Axis& a) { return a.axis == axis; });
  if (found == order.end()) return nullptr;
  std::size_t stride = 1;
  for (auto a = found + 1; a != order.end(); ++a) stride *= a->values.size();
  const double* one = nullptr;
  for (std::size_t i = 0; i < table_->allowed.size(); ++i) {
    if (!table_->allowed[i]) continue;
    const double* const value = &found->values[i / stride % found->values.size()];
    if (one != nullptr && one != value) return nullptr;
    one = value;
  }
  return one;
}

std::vector<bool> Filter::residual(AxisSet fixed, const std::vector<double>& values) const {
  // Slices the table along one fixed axis after the other, outermost first.
  std::vector<bool> out = table_->allowed;
  std::size_t block = out.size();  // combinations of the current axis and those after it
  for (std::size_t a = 0; a < table_->order.size(); ++a) {
    const Axis& axis = table_->order[a];
    const std::size_t each = block / axis.values.size();
    if ((fixed & axis_bit(axis.axis)) != 0) {
      const std::size_t at = table_->position(a, values[axis.axis]);
      std::vector<bool> left;
      for (std::size_t i = 0; i < out.size(); ++i) {
        if (i / each % axis.values.size() == at) left.push_back(out[i]);
      }
      out = std::move(left);
    }
    block = each;
  }
  return out;
}

bool Region::narrow(const Filter& filter) {
  // Filters over the same axes are intersected. Then the new filter and every filter over a subset or superset of its
  // axes restrict each other, so that a contradiction shows as an empty filter early.
  auto found = std::lower_bound(filters_.begin(), filters_.end(), filter.axes(), [](const auto& entry, AxisSet axes) { return entry.first < axes; });
  if (found != filters_.end() && found->first == filter.axes()) {
    found->second.restrict_to(filter);
  } else {
    found = filters_.emplace(found, filter.axes(), filter);
  }
  for (auto& [axes, other] : filters_) {
    if (axes == filter.axes()) continue;
    if ((axes & filter.axes()) == axes) found->second.restrict_to(other);
    if ((axes & filter.axes()) == filter.axes()) other.restrict_to(found->second);
  }
  return std::none_of(filters_.begin(), filters_.end(), [](const auto& entry) { return entry.second.empty(); });
}

bool Region::admits(AxisSet known, const std::vector<double>& values) const {
  return std::all_of(filters_.begin(), filters_.end(), [&](const auto& entry) { return entry.second.admits(known, values); });
}

AxisSet Region::fix_single_values(std::vector<double>& values) const {
  AxisSet out = 0;
  for (const auto& [axes, filter] : filters_) {
    for (AxisSet rest = axes; rest != 0; rest &= rest - 1) {
      const auto axis = static_cast<std::size_t>(std::countr_zero(rest));
      const double* const only = filter.only(axis);
      if (only == nullptr) continue;
      out |= axis_bit(axis);
      values[axis] = *only;
    }
  }
  return out;
}

std::map<AxisSet, std::vector<bool>> Region::residual(AxisSet fixed, const std::vector<double>& values) const {
  std::map<AxisSet, std::vector<bool>> out;
  for (const auto& [axes, filter] : filters_) {
    if ((axes & ~fixed) != 0) out.emplace(axes, filter.residual(fixed, values));
  }
  return out;
}

AxisSet Region::joined(AxisSet axes) const {
  AxisSet out = 0;
  for (const auto& [own, _] : filters_) {
    if ((own & axes) != 0) out |= own;
  }
  return out;
}

}  // namespace opledger
