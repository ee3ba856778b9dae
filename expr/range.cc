#include "expr/range.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace opledger {
namespace {

constexpr ValueRange kTruth{0, 1, true}, kTrue{1, 1, true}, kFalse{0, 0, true};

/// Returns the range of an operation that is monotonic in each operand: the hull of its values at the four corners. The
/// range is unbounded if a corner is NaN, such as infinity minus infinity.
ValueRange corners(Op op, const ValueRange& a, const ValueRange& b) {
  const std::array<double, 4> values = {apply(op, a.least, b.least), apply(op, a.least, b.most), apply(op, a.most, b.least), apply(op, a.most, b.most)};
  if (std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); })) return {};
  ValueRange out = range_of(values);
  out.number = out.number && a.number && b.number;
  return out;
}

/// Returns the range of a truth: true if it `always` holds, false if it `never` holds, otherwise both.
ValueRange decided(bool always, bool never) { return always ? kTrue : never ? kFalse : kTruth; }

ValueRange compared(Op op, const ValueRange& a, const ValueRange& b) {
  // A comparison is decided if it has the same result for every pair of values. Orders are decided by the ends of the
  // intervals. Intervals that share one end still decide an order and its negation, such as `<=` and `>`. Equality is
  // decided if the intervals are disjoint or both are the same single number. Operands that may be NaN decide nothing:
  // NaN makes every comparison false, except `!=`.
  if (!a.number || !b.number) return kTruth;
  const bool disjoint = a.most < b.least || a.least > b.most, same = a.single() && b.single() && a.least == b.least;
  switch (op) {
    case Op::less:
      return decided(a.most < b.least, a.least >= b.most);
    case Op::less_equal:
      return decided(a.most <= b.least, a.least > b.most);
    case Op::greater:
      return decided(a.least > b.most, a.most <= b.least);
    case Op::greater_equal:
      return decided(a.least >= b.most, a.most < b.least);
    case Op::equal:
      return decided(same, disjoint);
    default:
      return decided(disjoint, same);
  }
}

}  // namespace

ValueRange range_of(std::span<const double> table) {
  if (table.empty() || std::any_of(table.begin(), table.end(), [](double v) { return std::isnan(v); })) return {};
  const auto [least, most] = std::minmax_element(table.begin(), table.end());
  return {*least, *most, true};
}

ValueRange range_of(Op op, std::span<const ValueRange> x) {
  // Bounds the result of an operation from the bounds of its operands, by interval arithmetic. Monotonic operations take
  // their extremes at corners. Division needs a divisor of constant sign. A greatest common divisor of positive numbers
  // is at most the smaller one. A truth is decided if the intervals allow one value only. Other operations, such as
  // `modulo` and `power`, are unbounded.
  switch (op) {
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::minimum:
    case Op::maximum:
      return corners(op, x[0], x[1]);
    case Op::divide:
    case Op::floor_divide:
      return x[1].least > 0 || x[1].most < 0 ? corners(op, x[0], x[1]) : ValueRange{};
    case Op::gcd:
      return x[0].least >= 1 && x[1].least >= 1 ? ValueRange{1, std::min(x[0].most, x[1].most), x[0].number && x[1].number} : ValueRange{};
    case Op::floor:
    case Op::ceil:
      return corners(op, x[0], x[0]);
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::equal:
    case Op::not_equal:
      return compared(op, x[0], x[1]);
    case Op::logical_and:
      return decided(x[0].least > 0 && x[1].least > 0, x[0].most <= 0 || x[1].most <= 0);
    case Op::logical_or:
      return decided(x[0].least > 0 || x[1].least > 0, x[0].most <= 0 && x[1].most <= 0);
    case Op::logical_not:
      return decided(x[0].most <= 0, x[0].least > 0);
    case Op::select:
      return {std::min(x[1].least, x[2].least), std::max(x[1].most, x[2].most), x[1].number && x[2].number};
    default:
      return {};
  }
}

}  // namespace opledger
