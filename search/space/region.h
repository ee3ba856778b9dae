#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "search/space/space.h"

/// Parts of a space, described by the joint values of some axes: for example the candidates for which the guards of a
/// trace hold, or don't hold.
namespace opledger {

/// A relation over a few axes: a bit table of allowed combinations of values. All other combinations are refused.
/// Copies share the table.
class Filter {
 public:
  /// Builds the relation from every combination of `axes` that occurs. `candidates`: values by axis, at least one
  /// candidate for each combination. `holds`: whether each candidate's combination is allowed; candidates with equal
  /// combinations must agree.
  Filter(AxisSet axes, const std::vector<std::vector<double>>& candidates, const std::vector<bool>& holds);

  /// Returns the axes of the relation.
  AxisSet axes() const { return axes_; }
  /// Returns whether no combination is allowed.
  bool empty() const;
  /// Returns whether every combination that occurs is allowed.
  bool always() const { return table_->allowed == table_->occurring; }
  /// Returns the complement: a filter that allows exactly the occurring combinations refused here.
  Filter inverse() const;
  /// Intersects with a filter over a subset of the axes.
  void restrict_to(const Filter& other);
  /// Returns whether the leading known axes can be completed to an allowed combination. Known axes after an unknown
  /// axis are ignored, so that `true` may be too optimistic. `values`: by axis.
  bool admits(AxisSet known, const std::vector<double>& values) const;
  /// Returns the single allowed value of `axis`. Null if no value or several values are left, or if the filter
  /// doesn't cover the axis.
  const double* only(std::size_t axis) const;
  /// Returns the bits `allowed` at the given values of the fixed axes: a bit for each combination of the remaining axes.
  std::vector<bool> residual(AxisSet fixed, const std::vector<double>& values) const;
  /// Returns whether both filters have equal axes, values and bits.
  bool operator==(const Filter& other) const { return axes_ == other.axes_ && (table_ == other.table_ || *table_ == *other.table_); }

 private:
  /// One column of the relation.
  struct Axis {
    std::size_t axis;            ///< Position of the axis in the space.
    std::vector<double> values;  ///< Distinct values in ascending order.
    /// Marks the combinations of values of this axis and earlier axes with which an allowed combination begins. The
    /// index is the number of the combination.
    std::vector<bool> prefixes;
    bool operator==(const Axis&) const = default;
  };
  /// The bit table. The index of a combination is mixed-radix: the last axis varies fastest.
  struct Table {
    /// Returns the index of `value` in the axis's values, or their number if the value does not occur.
    std::size_t position(std::size_t axis, double value) const;
    /// Computes `digest` and the prefixes of every column from `allowed`.
    void find_prefixes();
    bool operator==(const Table&) const = default;

    std::size_t digest = 0;                ///< Hash of `allowed`; declared first, so that comparisons of different tables end early.
    std::vector<Axis> order;               ///< Columns in ascending order of axes.
    std::vector<bool> occurring, allowed;  ///< Bits by the index of a combination.
  };

  AxisSet axes_;
  std::shared_ptr<const Table> table_;
};

/// A conjunction of filters: a candidate lies in the region if every filter admits it.
class Region {
 public:
  /// Intersects with a filter. Returns false if a filter is then empty, so no candidate is left. `true` may be too
  /// optimistic.
  bool narrow(const Filter& filter);
  /// Returns whether the filters over `axis`, the axis assigned last, admit the known values.
  bool admits(std::size_t axis, AxisSet known, const std::vector<double>& values) const {
    for (const auto& [axes, filter] : filters_) {
      if ((axes & axis_bit(axis)) != 0 && !filter.admits(known, values)) return false;
    }
    return true;
  }
  /// Returns whether every filter admits the known values.
  bool admits(AxisSet known, const std::vector<double>& values) const;
  /// Returns the axes with a single allowed value, and stores these values in `values`.
  AxisSet fix_single_values(std::vector<double>& values) const;
  /// Returns the axes of all filters that have one of `axes`.
  AxisSet joined(AxisSet axes) const;
  /// Returns the residual tables of all filters with an axis that is not fixed, by the filter's axes. Regions with
  /// equal results leave equal choices.
  std::map<AxisSet, std::vector<bool>> residual(AxisSet fixed, const std::vector<double>& values) const;

 private:
  std::vector<std::pair<AxisSet, Filter>> filters_;  ///< One filter for each set of axes, in ascending order of the set.
};

}  // namespace opledger
