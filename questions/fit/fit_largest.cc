#include <algorithm>
#include <cmath>
#include <set>

#include "questions/fit/fit_search.h"

namespace opledger {
namespace {

using State = FitPoint::State;

constexpr int kNear = 8;         // Candidates tried after each short stride, and above the answer.
constexpr int kFar = 2;          // Candidates tried after each long stride.
constexpr int kBudget = 256;     // Unsuccessful runs in a row allowed between two known candidates.
constexpr int kOpenBudget = 64;  // Unsuccessful runs in a row allowed without an upper bound.
constexpr double kFactors = 6;   // Largest multiple of the best value that is tried.

/// Searches along one key for the largest fitting position. Positions are whole steps; position 0 is the lowest
/// candidate. The search gallops with doubling strides until a candidate is too large, then bisects, which costs O(log
/// n) runs if all candidates are possible. Impossible candidates give no direction, so neighbors are tried within a
/// budget. Invariant: `low` fits (or is -1), and `high` is too large (or the end).
class LargestSearch {
 public:
  LargestSearch(FitProber& prober, double present, double step, double most) : prober_(prober), step_(step > 0 ? step : find_step(present)) {
    lowest_ = present - step_ * std::floor((present - 1) / step_);
    start_ = std::round((present - lowest_) / step_);
    end_ = std::floor((most - lowest_) / step_) + 1;
  }

  void run(Fit& out) {
    out.step = step_;
    out.limit = value(end_ - 1);
    double low = -1, high = end_;
    if (start_ < end_ && state(start_) != State::fits)
      begin_below(low, high);
    else
      low = state(end_ - 1) == State::fits ? end_ - 1 : std::min(start_, end_ - 1);
    if (low >= 0) climb(low, high);
    report(low, high, out);
  }

 private:
  double value(double position) const { return lowest_ + position * step_; }
  const FitPoint& at(double position) {
    tried_.insert(position);
    return prober_.at(value(position));
  }
  State state(double position) { return at(position).state; }
  bool was_tried(double position) const { return tried_.count(position) != 0; }

  /// Returns the smallest divisor of the present value, up to 2^20, that leads to another possible candidate; 1 without
  /// one.
  double find_step(double present) {
    for (double d = 1; d <= present && d <= 1 << 20; ++d) {
      if (std::fmod(present, d) != 0) continue;
      if (is_possible(prober_.at(present + d)) || (present > d && is_possible(prober_.at(present - d)))) return d;
    }
    return 1;
  }

  /// Returns whether a candidate narrows the search: it fits, or its size is too large, so that larger ones do not fit
  /// either.
  static bool is_possible(const FitPoint& point) { return point.over || point.state == State::fits; }

  /// Narrows the interval by a candidate. Returns whether the candidate was possible.
  bool learn(double position, double& low, double& high) {
    if (position <= low || position >= high) return false;
    const FitPoint& found = at(position);
    if (found.state == State::fits) low = position;
    if (found.over) high = position;
    return is_possible(found);
  }

  /// Starts if the present value does not fit. A smaller value may fit; if the present value is impossible, a larger
  /// one may fit too.
  void begin_below(double& low, double& high) {
    const bool impossible = !at(start_).over;
    double top = start_;
    narrow(low, top);
    if (low >= 0 || !impossible)
      high = impossible && top == start_ ? end_ : top;
    else if (gallop(low, high, start_); low < 0)
      high = top == start_ ? high : top;
  }

  void climb(double& low, double& high) {
    do {
      if (high == end_) gallop(low, high, low);
      narrow(low, high);
    } while (check_above(low, high));
  }

  /// Doubles the stride until a candidate is too large. Strides that meet only impossible candidates continue, and
  /// multiples of the best value are tried, since these often divide.
  void gallop(double& low, double& high, double from) {
    for (bool more = true; more && high == end_;) {
      more = false;
      for (double width = 1; from + width < end_ && high == end_; width *= 2) {
        for (double near = 0; near < (width <= kNear ? kNear : kFar) && from + width + near < end_; ++near) {
          if (learn(from + width + near, low, high)) break;
        }
        if (low > from) from = low, more = true;
      }
      for (double factor = 2; factor <= kFactors && high == end_ && !more && low >= 0; ++factor) {
        const double there = (value(low) * factor - lowest_) / step_;
        if (there == std::floor(there) && there < end_ && learn(there, low, high)) from = low, more = true;
      }
    }
  }

  /// Bisects the interval. If the middle is impossible, other candidates are tried, round values first. The search ends if
  /// every candidate was tried, or after as many unsuccessful candidates in a row as the budget allows.
  void narrow(double& low, double& high) {
    for (int failures = 0; failures < (high == end_ ? kOpenBudget : kBudget);) {
      const std::optional<double> next = untried(low, high);
      if (!next) return;
      failures = learn(*next, low, high) ? 0 : failures + 1;
    }
  }

  /// Returns the untried candidate with the coarsest stride in the interval. Strides are powers of two, so the roundest
  /// value comes first. At most one multiple of its stride is inside, so each narrowing at least halves the stride.
  std::optional<double> untried(double low, double high) const {
    if (high - low <= 1) return std::nullopt;
    const double first = std::round(lowest_ / step_);  // round values rather than round positions
    double stride = 1;
    while (stride < high - low) stride *= 2;
    for (int looked = 0; stride >= 1; stride /= 2) {
      for (double p = std::ceil((low + 1 + first) / stride) * stride - first; p < high; p += stride, ++looked) {
        if (!was_tried(p)) return p;
        if (looked > 4 * kBudget) return std::nullopt;
      }
    }
    return std::nullopt;
  }

  /// Tests the assumption of monotonicity: evaluates the candidates right above the answer. Returns true if one fits,
  /// after widening the interval again.
  bool check_above(double& low, double& high) {
    for (double p = low + 1; p <= low + kNear && p < end_; ++p) {
      if (state(p) != State::fits) continue;
      low = p;
      high = end_;
      for (const double known : tried_) {
        if (known > low && high == end_ && at(known).over) high = known;
      }
      return true;
    }
    return false;
  }

  void report(double low, double high, Fit& out) {
    if (low >= 0) out.answer = at(low);
    const double above = std::max(low, -1.0);
    out.between = std::max(0.0, high - above - 1);
    out.tried_between = static_cast<double>(std::count_if(tried_.begin(), tried_.end(), [&](double p) { return p > above && p < high; }));
    double to = above;
    while (was_tried(to + 1) && to + 1 < high) ++to;
    out.tried_to = value(to);
    count_refusals(above, high, out);
    if (high < end_) out.beyond = at(too_large_alone(low, high));
    if (low >= 0 && low + 1 < end_ && at(low + 1).state == State::impossible) out.next = at(low + 1);
    if (low < 0 && !out.beyond && start_ < end_) out.beyond = at(start_);
    out.any = low >= 0 && low == end_ - 1 && at(low).size.is_number() && at(low).size.scalar.value == at(start_).size.scalar.value;
  }

  /// Returns the candidate from `high` on that explains the limit best, because only its size refuses it. Tries near
  /// neighbors, then multiples of the best value; the default is `high`.
  double too_large_alone(double low, double high) {
    const auto alone = [&](double p) { return p >= high && p < end_ && p == std::floor(p) && state(p) == State::too_large; };
    for (double p = high; p < high + kNear; ++p) {
      if (alone(p)) return p;
    }
    for (double factor = 2; factor <= kFactors && low >= 0; ++factor) {
      const double p = (value(low) * factor - lowest_) / step_;
      if (alone(p)) return p;
    }
    return high;
  }

  void count_refusals(double above, double high, Fit& out) {
    for (const double p : tried_) {
      if (p > above && p < high) add_refusal(prober_.at(value(p)), out);
    }
  }

  FitProber& prober_;
  double step_, lowest_ = 0, start_ = 0, end_ = 0;
  std::set<double> tried_;
};

}  // namespace

void find_largest(FitProber& prober, double present, double step, double most, Fit& out) { LargestSearch(prober, present, step, most).run(out); }

}  // namespace opledger
