#pragma once
#include "questions/difference.h"

/// Two accountings: one says what the other's metrics and elements are in its own terms (`compares`).
namespace opledger {

/// Adds what `teller` says of the metrics and elements of `other`'s accounting. False: nothing.
bool compare_counterparts(Run& teller, Run& other, bool teller_is_second, Differences& out);

/// A value, or nothing where it can't be had.
Value value_or_nothing(Run& run, const Name& name, const Point& point);

/// Where the formula that gives the value stands.
Span formula_place(Run& run, const Name& name, const Point& point);

/// Adds a difference if there is one.
void add_difference(std::vector<Difference>& out, Difference d);

}  // namespace opledger
