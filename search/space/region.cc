#include "search/space/region.h"

#include <algorithm>
#include <bit>

namespace opledger {

Filter::Filter(AxisSet axes, const std::vector<std::vector<double>>& candidates, const std::vector<bool>& holds) : axes_(axes) {
  // Builds a relation as a dense bit table. Each axis has a column with the distinct values that occur, ascending. Each
  // combination of values has one bit in `occurring` (a candidate has the combination) and one in `allowed` (`holds` as
  // well). The index of a combination is a mixed-radix number, whose last axis varies fastest. Memory is the product of
  // the numbers of distinct values, even if few combinations occur; a test then needs a binary search for each axis and
  // one bit. `find_prefixes` adds the bits for tests of leading axes alone.
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
  // Computes `prefixes` of every axis from the bits `allowed`: a bit for each combination of this axis and earlier
  // axes, true if an allowed combination begins with it. The pass goes from the last axis to the first; a prefix is
  // possible if an extension is. The index of a prefix is the index of its extension divided by the number of values of
  // the last axis. The cost is at most the size of the table for each axis. `digest` is a hash of `allowed`, so that
  // different tables compare quickly.
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
  // Intersects this filter with `other`, whose axes are a subset. Each allowed index is decoded into values, by
  // division with the numbers of values from the last axis on, and tested by the other filter. The cost is a scan of
  // the table, with one lookup for each allowed combination. Copies of a filter share one table; a new table replaces
  // it only if a combination was removed.
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
  // Looks up the longest prefix of the filter's axes that is known. Its index is a mixed-radix number of the positions
  // of its values; the prefix table of its last axis has a bit for each index. A value that does not occur is refused.
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
  // Scans the allowed combinations and compares the values of the axis until two differ. The position of the axis's
  // value is a digit of the index: the index divided by `stride`, modulo the number of values. The result is null if
  // the axis is no axis of the filter, if two values differ, or if nothing is allowed.
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
  // Slices the table of allowed combinations at the given values of the fixed axes, one axis after the other, outermost
  // first. Each slice keeps the bits whose digit of the axis equals the value's position. The result has a bit for each
  // combination of the other axes, in the same order; it is empty if a value does not occur. The cost is the size of
  // the table for each fixed axis.
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
  // Adds a filter to the conjunction. `filters_` has one filter for each set of axes, sorted by the set; a filter over
  // the same axes is intersected. Then the new filter is restricted by filters over subsets of its axes, and restricts
  // filters over supersets. A contradiction therefore often shows early, as an empty filter; returns false then. The
  // single pass does not find every contradiction, because filters with partly common axes are not compared.
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

/// The cost is one scan of a filter's table for each axis of the filter. The scan ends early if two values are allowed.
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
