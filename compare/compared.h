#pragma once
#include <optional>
#include <string>
#include <vector>

#include "run/run.h"

/// Quantities in several runs. The first run is the one that the others are compared with. Texts of values belong to the runs.
namespace opledger {

/// By how much two conventions may differ before a reason is asked for.
inline constexpr double kNotable = 0.01;

struct ComparedValue {
  Value value = {};       ///< Nothing: the run has none.
  std::string why = {};   ///< Why it is another one than the first run's, as the accounting says; empty: it gives no reason.
  Span at = {};           ///< Of its formula.
  std::string rule = {};  ///< Of an operator or element: the rules behind it.
};

struct Compared {
  std::string name;                        ///< A metric; an input; a node's quantity in a phase; an element.
  std::vector<ComparedValue> values = {};  ///< By run.
  std::string unit = {};                   ///< Of a metric, as declared.
  double part = 0;                         ///< Of an operator or element: its part of all that its quantity differs by.

  const Value& value(std::size_t run) const { return values[run].value; }
  /// Whether the second run's value is another one than the first's.
  bool differs() const;
  /// By how much that run's value is more than the first's, as a share of it. Empty where that says nothing: one has none, the first is 0, no like numbers.
  std::optional<double> change(std::size_t run) const;
  /// Whether the change is worth a reason: more than `kNotable`, or from 0 to something.
  bool notable(std::size_t run) const;
};

bool comparable(const Value& a, const Value& b);

/// A name's value at a point, and where the formula stands that gives it. Nothing where it can't be had.
ComparedValue compared_value(Run& run, const Name& name, const Point& point);

/// Adds what differs between two runs.
void add_difference(std::vector<Compared>& out, Compared one);

/// What the run's accounting says of another one's metric, by `compares`; where it says nothing at all of that accounting, its own metric of that name.
ComparedValue counterpart(Run& run, const Run& other, const std::string& metric);

}  // namespace opledger
