#pragma once
#include <optional>
#include <string>
#include <vector>

#include "run/run.h"

/// Quantities in several runs: a `ComparedQuantity` has one `ComparedValue` for each run, first the reference run.
/// Texts of values belong to the runs, so the runs must outlive the values.
namespace opledger {

/// Relative difference of two accountings above which reports give a reason.
inline constexpr double kNotable = 0.01;

/// A quantity's value in one run, with the reason and origin of a difference.
struct ComparedValue {
  Value value = {};       ///< Nothing if the run lacks the quantity.
  std::string why = {};   ///< Reason for the difference from the first run, as the accounting states it; may be empty.
  Span at = {};           ///< Position of the formula; empty without one.
  std::string rule = {};  ///< Rules that placed an operator or element, separated by commas; empty for other quantities.
};

/// A quantity with its values in all runs.
struct ComparedQuantity {
  std::string name;                        ///< Name of the metric or input; for a node `NODE PHASE QUANTITY`, for an element its name and quantity.
  std::vector<ComparedValue> values = {};  ///< One value per run.
  std::string unit = {};                   ///< Declared unit of a metric.
  double part = 0;                         ///< Share of the quantity's total difference, 0 to 1, for operators and elements; otherwise 0.

  /// Returns the value in the run of an index from 0; it must be below the number of values.
  const Value& value(std::size_t run) const { return values[run].value; }
  /// Returns whether the values of the first two runs differ.
  bool differs() const;
  /// Returns the relative change from the first run's value to the value of `run`. Returns nothing if a value is
  /// missing, the first is 0, or the values are not comparable.
  std::optional<double> change(std::size_t run) const;
  /// Returns whether the change exceeds `kNotable`, or is from 0 to another value.
  bool notable(std::size_t run) const;
};

/// Returns whether both values are numbers with equal units. A number that fits any unit, such as 0, is comparable
/// with every number.
bool comparable(const Value& a, const Value& b);

/// Returns a name's value at a point (one current word of each set), with the position of its formula. The value is
/// nothing if it can't be computed; the error is dropped.
ComparedValue compared_value(Run& run, const Name& name, const Point& point);

/// Appends a quantity of two runs to `out` if its values differ.
void add_difference(std::vector<ComparedQuantity>& out, ComparedQuantity one);

/// Returns the value in `run` that corresponds to `metric`, a metric of `other`'s accounting. The section `compares`
/// of `run`'s accounting defines the value; if the section does not mention `other`'s accounting, the metric with the
/// same name counts. The value is nothing without such a metric.
ComparedValue counterpart(Run& run, const Run& other, const std::string& metric);

}  // namespace opledger
