#include "find/pareto.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace opledger {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kEqualCosts = 1e-12;  // Relative difference below which costs count as equal, because sums are rounded.
constexpr double kEqualUnits = 1e-9;   // Fraction of a unit of size that counts as none, for the same reason.

/// A point of a front. `choice` is an index in the record of choices.
struct FrontPoint {
  double size = 0, cost = 0;
  std::uint32_t choice = 0;
};

/// A record of how a point was made: from two earlier choices, or by a state of a variable.
struct Choice {
  std::uint32_t first = 0, second = 0;
  bool is_state = false;  ///< `first` is a variable and `second` its state.
};

using Points = std::vector<FrontPoint>;

/// Bucket elimination whose table entries are fronts in place of minima. The sum of two entries is the front of all
/// sums of their points; the minimum over a variable is the front of the union. Points above the bound are dropped,
/// which is exact because every table has the least size 0. Each point remembers how it was made, and following these
/// choices gives its assignment.
class FrontElimination {
 public:
  FrontElimination(const FactorProblem& problem, const ParetoOptions& options) : problem_(problem), variables_(problem.variables), options_(options) {
    for (const Factor& factor : problem.cost) factors_.push_back(&factor), lowest_.push_back(0);
    for (const Factor& factor : problem.size) {
      factors_.push_back(&factor);
      lowest_.push_back(*std::min_element(factor.entries.begin(), factor.entries.end()));
      base_ += lowest_.back();
    }
    bound_ = options.bound - base_;
    if (options.resolution > 0) bound_ = std::floor(bound_ / options.resolution + kEqualUnits);
  }

  ParetoFront run() {
    const EliminationPlan plan = plan_elimination(variables_, factors_, options_.most_entries);
    error_ = plan.error;
    for (const Bucket& bucket : plan.buckets) {
      if (!error_.empty()) break;
      messages_.push_back(eliminate(bucket));
      scopes_.push_back(&bucket.scope);
    }
    if (!error_.empty()) return {{}, error_};
    Points last = {point_at(plan.rest, std::vector<std::size_t>(plan.rest.size(), 0))};
    if (!within(last.front())) last.clear();
    for (const std::size_t table : plan.rest) {
      if (is_message(table) && error_.empty()) last = sum(last, messages_[table - factors_.size()].front());
    }
    if (!error_.empty()) return {{}, error_};
    ParetoFront out;
    for (const FrontPoint& point : last) {
      StateChoice states = assignment(point.choice);
      out.points.push_back({total(variables_, problem_.size, states), total(variables_, problem_.cost, states), std::move(states)});
    }
    keep_best(out.points);
    return out;
  }

 private:
  bool is_message(std::size_t table) const { return table >= factors_.size(); }
  bool within(const FrontPoint& point) const { return point.size <= bound_ && point.cost < kInfinity; }

  /// Returns the front of each combination of the bucket's scope.
  std::vector<Points> eliminate(const Bucket& bucket) {
    std::vector<const std::vector<std::size_t>*> scopes;
    std::vector<std::size_t> strides;
    for (const std::size_t table : bucket.tables) {
      scopes.push_back(is_message(table) ? scopes_[table - factors_.size()] : &factors_[table]->variables);
      strides.push_back(stride_of(variables_, *scopes.back(), bucket.variable));
    }
    std::vector<Points> out;
    Odometer odometer(variables_, bucket.scope, scopes);
    std::vector<std::size_t> positions;
    do {
      Points all;
      for (std::size_t state = 0; state < variables_[bucket.variable].states; ++state) {
        positions = odometer.positions();
        for (std::size_t k = 0; k < positions.size(); ++k) positions[k] += state * strides[k];
        FrontPoint point = point_at(bucket.tables, positions);
        if (!within(point)) continue;
        point.choice = record({static_cast<std::uint32_t>(bucket.variable), static_cast<std::uint32_t>(state), true});
        Points points = {point};
        for (std::size_t k = 0; k < positions.size() && !points.empty() && error_.empty(); ++k) {
          if (is_message(bucket.tables[k])) points = sum(points, messages_[bucket.tables[k] - factors_.size()][positions[k]]);
        }
        all.insert(all.end(), points.begin(), points.end());
      }
      keep_best(all);
      check_length(all);
      out.push_back(std::move(all));
    } while (error_.empty() && odometer.advance());
    return out;
  }

  /// Returns the sum of the factors among the tables, as one point without choices.
  FrontPoint point_at(const std::vector<std::size_t>& tables, const std::vector<std::size_t>& positions) const {
    FrontPoint out;
    for (std::size_t k = 0; k < tables.size(); ++k) {
      if (is_message(tables[k])) continue;
      const double entry = factors_[tables[k]]->entries[positions[k]];
      if (tables[k] < problem_.cost.size()) {
        out.cost += entry;
      } else {
        out.size += rounded(entry - lowest_[tables[k]]);
      }
    }
    return out;
  }

  double rounded(double size) const { return options_.resolution > 0 ? std::ceil(size / options_.resolution - kEqualUnits) : size; }

  /// Returns the front of the sums of two fronts.
  Points sum(const Points& first, const Points& second) {
    struct Pair {
      double size, cost;
      std::uint32_t first, second;
    };
    std::vector<Pair> pairs;
    std::size_t next_cleaning = 1 << 16;
    for (const FrontPoint& a : first) {
      for (const FrontPoint& b : second) {
        if (a.size + b.size > bound_) break;  // `second` is sorted by size.
        pairs.push_back({a.size + b.size, a.cost + b.cost, a.choice, b.choice});
      }
      if (pairs.size() < next_cleaning) continue;
      keep_best(pairs);
      next_cleaning = std::max(next_cleaning, 2 * pairs.size());
    }
    keep_best(pairs);
    Points out;
    for (const Pair& pair : pairs) out.push_back({pair.size, pair.cost, record({pair.first, pair.second, false})});
    check_length(out);
    return out;
  }

  /// Sorts points by size, and drops each point that is not cheaper than all smaller ones. Of equal points the earliest stays.
  template <class Any>
  static void keep_best(std::vector<Any>& points) {
    std::stable_sort(points.begin(), points.end(), [](const Any& a, const Any& b) { return a.size != b.size ? a.size < b.size : a.cost < b.cost; });
    double threshold = kInfinity;
    std::erase_if(points, [&](const Any& point) {
      if (point.cost >= threshold) return true;
      threshold = point.cost - kEqualCosts * std::abs(point.cost);
      return false;
    });
  }

  void check_length(const Points& points) {
    if (points.size() > options_.most_points && error_.empty())
      error_ = fmt::format("front of {} points, and {} is the limit: round sizes more coarsely, or lower the bound", points.size(), options_.most_points);
  }

  std::uint32_t record(Choice choice) {
    if (choices_.size() >= options_.most_sums) {
      if (error_.empty()) error_ = fmt::format("more than {} points on all fronts: round sizes more coarsely, or lower the bound", options_.most_sums);
      return 0;
    }
    choices_.push_back(choice);
    return static_cast<std::uint32_t>(choices_.size() - 1);
  }

  /// Follows the choices of a point.
  StateChoice assignment(std::uint32_t choice) const {
    StateChoice out(variables_.size(), 0);
    std::vector<std::uint32_t> open = {choice};
    while (!open.empty()) {
      const Choice next = choices_[open.back()];
      open.pop_back();
      if (next.is_state) {
        if (next.first < out.size()) out[next.first] = next.second;
      } else {
        open.push_back(next.first), open.push_back(next.second);
      }
    }
    return out;
  }

  const FactorProblem& problem_;
  const std::vector<Variable>& variables_;
  const ParetoOptions& options_;
  std::vector<const Factor*> factors_;  ///< Costs, then sizes.
  std::vector<double> lowest_;          ///< Least size of each factor; 0 for costs.
  double base_ = 0;                     ///< Sum of the least sizes.
  double bound_ = 0;                    ///< Bound of sizes without `base_`, in units of the resolution.
  std::vector<std::vector<Points>> messages_;
  std::vector<const std::vector<std::size_t>*> scopes_;                                   ///< Variables of each message.
  std::vector<Choice> choices_ = {{std::numeric_limits<std::uint32_t>::max(), 0, true}};  ///< The first one is that of a point without choices.
  std::string error_;
};

}  // namespace

ParetoFront pareto(const FactorProblem& problem, const ParetoOptions& options) { return FrontElimination(problem, options).run(); }

}  // namespace opledger
