#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "search/space/space.h"

/// Parts of a space that are told by which values some axes take together: those for which a structure holds, or doesn't.
namespace opledger {

/// Some axes, and which of their values go together. All else is refused. Copies share what they are made of.
class Filter {
 public:
  /// `candidates`: by axis, in which these take all values that they ever take together. `holds`: by candidate.
  Filter(AxisSet axes, const std::vector<std::vector<double>>& candidates, const std::vector<bool>& holds);

  AxisSet axes() const { return axes_; }
  bool empty() const;
  bool always() const { return table_->allowed == table_->occurring; }
  /// What occurs and this refuses.
  Filter inverse() const;
  /// Keeps what another filter keeps too, one on some of the axes or on the same.
  void restrict_to(const Filter& other);
  /// Whether values of those of its axes that are known can be completed, as far as it can be told at once. `values`: by axis.
  bool admits(AxisSet known, const std::vector<double>& values) const;
  /// Null, if an axis has several values left; or the axis is none of these.
  const double* only(std::size_t axis) const;
  /// What is allowed of the axes that are not fixed, by position. `values`: of those that are.
  std::vector<bool> given(AxisSet fixed, const std::vector<double>& values) const;
  bool operator==(const Filter& other) const { return axes_ == other.axes_ && (table_ == other.table_ || *table_ == *other.table_); }

 private:
  struct Axis {
    std::size_t axis;
    std::vector<double> values;  ///< Rising.
    std::vector<bool> prefixes;  ///< By position among the values of it and those before: whether something allowed begins so.
    bool operator==(const Axis&) const = default;
  };
  struct Table {
    std::size_t position(std::size_t axis, double value) const;  ///< So many values: none of them.
    void find_prefixes();
    bool operator==(const Table&) const = default;

    std::size_t digest = 0;                ///< Of what is allowed: most that differ are told apart by it.
    std::vector<Axis> order;               ///< Rising.
    std::vector<bool> occurring, allowed;  ///< By position.
  };

  AxisSet axes_;
  std::shared_ptr<const Table> table_;
};

class Region {
 public:
  /// Leaves those that the filter allows. False: none is left.
  bool narrow(const Filter& filter);
  /// Whether this value of `axis`, the one that became known last, may be.
  bool admits(std::size_t axis, AxisSet known, const std::vector<double>& values) const {
    for (const auto& [axes, filter] : filters_) {
      if ((axes & axis_bit(axis)) != 0 && !filter.admits(known, values)) return false;
    }
    return true;
  }
  bool admits(AxisSet known, const std::vector<double>& values) const;
  /// Axes that have one value here; it is put in its place.
  AxisSet settle(std::vector<double>& values) const;
  /// Axes that are filtered together with some of these.
  AxisSet joined(AxisSet axes) const;
  /// What it leaves of axes that are not fixed: by axes that are filtered together, some of them not fixed, what is allowed of these.
  std::map<AxisSet, std::vector<bool>> given(AxisSet fixed, const std::vector<double>& values) const;

 private:
  std::vector<std::pair<AxisSet, Filter>> filters_;  ///< Sorted by axes, ascending.
};

}  // namespace opledger
