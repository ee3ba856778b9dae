#pragma once
#include <optional>
#include <string>
#include <vector>

#include "run/run.h"

/// Quantities in several runs. Values are compared with those of the first run. Texts of values belong to the runs.
namespace opledger {

/// Relative difference of two conventions above which reports give a reason.
inline constexpr double kNotable = 0.01;

/// A quantity's value in one run.
struct ComparedValue {
  Value value = {};       ///< Nothing if the run lacks the quantity.
  std::string why = {};   ///< Reason for the difference from the first run, as the accounting states it; may be empty.
  Span at = {};           ///< Position of the formula.
  std::string rule = {};  ///< Rules behind an operator or element.
};

/// A quantity with its values in all runs.
struct ComparedQuantity {
  std::string name;                        ///< Metric, input, quantity of a node in a phase, or element.
  std::vector<ComparedValue> values = {};  ///< One value per run.
  std::string unit = {};                   ///< Declared unit of a metric.
  double part = 0;                         ///< Operators and elements: share of the total difference of the quantity.

  const Value& value(std::size_t run) const { return values[run].value; }
  /// Returns whether the values of the first two runs differ.
  bool differs() const;
  /// Returns the relative change from the first run's value. Empty if a value is missing, the first is 0, or the values
  /// are not comparable.
  std::optional<double> change(std::size_t run) const;
  /// Returns whether the change exceeds `kNotable`, or is from 0 to another value.
  bool notable(std::size_t run) const;
};

/// Returns whether both values are numbers with compatible units.
bool comparable(const Value& a, const Value& b);

/// Returns a name's value at a point with the position of its formula; nothing if it can't be computed.
ComparedValue compared_value(Run& run, const Name& name, const Point& point);

/// Appends a quantity if its values in two runs differ.
void add_difference(std::vector<ComparedQuantity>& out, ComparedQuantity one);

/// Returns the value in `run` of a metric of `other`'s accounting, according to `compares`. If `compares` does not
/// mention that accounting, returns the metric with the same name.
ComparedValue counterpart(Run& run, const Run& other, const std::string& metric);

}  // namespace opledger
