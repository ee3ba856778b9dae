#include "search/sweep/collector.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace opledger {
namespace {

constexpr std::size_t kManyKeys = 4096;  // new keys between two removals of duplicates

}  // namespace

Collector::Collector(const GroupContext& context, const PartitionGroup& group, LevelKernel::Frame& frame, const Prefixes& prefixes,
                     const std::vector<Lanes>& lanes, GroupResult& result)
    : context_(context), group_(group), plan_(group.plan->get()), frame_(frame), prefixes_(prefixes), lanes_(lanes), result_(result) {
  result_.feasible.resize(group.variants.size());
  result_.examples.resize(group.variants.size());
  result_.sums.resize(context.request.sums.size());
  std::vector<bool> maximize;
  for (const FrontMetric& metric : context.request.front) maximize.push_back(metric.maximize);
  result_.front = Front(std::move(maximize));
  result_.rows.axes = context.space.axes.size();
  result_.rows.metrics = context.request.metrics.size();
  for (std::size_t a = 0; a < context.space.axes.size(); ++a) {
    if (context.space.axes[a].derived != nullptr && (group.fixed & axis_bit(a)) == 0) derived_axes_.push_back(a);
  }
}

/// Calls `visit(level, lane)` for a lane of the last level and its ancestors, innermost first.
template <class Visit>
void Collector::each_level(std::size_t lane, const Visit& visit) {
  for (std::size_t level = plan_.levels().size(); level-- > 0;) {
    visit(level, lane);
    if (level > 0) lane = frame_.parents(level)[lane];
  }
}

void Collector::keep(const Lanes& last, std::size_t count) {
  for (std::size_t s = 0; s < group_.variants.size(); ++s) {
    const std::uint32_t* const marks = last.plain ? nullptr : last.of(s);
    feasible_.select(count, [&](std::size_t i) { return marks == nullptr || marks[i] == Lanes::kNone; });
    if (feasible_.count > 0) keep_feasible(s, count);
  }
}

/// Returns metric `m` of the feasible lanes, without gaps. `count`: number of all lanes. A result that is fixed before
/// any level is repeated. Other results are packed; if every lane is feasible, the kernel's register is returned.
const double* Collector::metric(std::size_t variant, std::size_t m, std::size_t count) {
  const std::size_t output = plan_.result(variant, m);
  const double* const values = plan_.kernel().result(frame_, output);
  if (values != nullptr && feasible_.count == count) return values;
  if (values != nullptr)
    pick(values, feasible_.begin(), packed_.data(), feasible_.count);
  else
    std::fill_n(packed_.begin(), feasible_.count, plan_.kernel().fixed_result(frame_, output));
  return packed_.data();
}

/// Adds the feasible lanes of a variant to all requested results: counts, sums, best candidates, front, rows. Outputs
/// of the plan are the objective, summed metrics, front metrics and listed metrics, in this order. `count`: number of
/// all lanes. The first feasible candidate of a variant is kept as an example for error messages. A stop search needs
/// the keys of prefixes only.
void Collector::keep_feasible(std::size_t variant, std::size_t count) {
  if (group_.stop) return keep_stop_keys(variant);
  result_.feasible[variant] += feasible_.count;
  if (result_.examples[variant].empty()) result_.examples[variant] = values_of(variant, feasible_[0]);
  for (std::size_t m = 0; m < context_.request.sums.size(); ++m) {
    const double* const values = metric(variant, 1 + m, count);
    for (std::size_t i = 0; i < feasible_.count; ++i) result_.sums[m].add(values[i]);
  }
  keep_best(variant, count);
  if (!context_.request.front.empty()) keep_front(variant, count);
  if (context_.request.list) keep_all(variant, count);
}

/// Records the prefixes with a feasible candidate, for a stop search: the values of the free axes up to the examined
/// axis (`group_.stop`). Each prefix is a key, the sum of one hash per axis. The axes with one value in the variant
/// therefore form a common summand; the other summands come from the codes of a lane and its ancestors. `feasible_` has
/// the feasible lanes. Many lanes give the same key. Neighbors are compared at once. All duplicates are removed by sorting
/// once the keys exceed twice the last unique keys by kManyKeys; the cost of sorting is thus O(log n) per key.
void Collector::keep_stop_keys(std::size_t variant) {
  Stops::Key fixed = 0;
  for (const std::size_t axis : context_.free.axes) {
    if (axis <= *group_.stop && (group_.fixed & axis_bit(axis)) != 0) fixed += Stops::key(axis, group_.variants[variant].values[axis]);
  }
  std::vector<Stops::Key>& keys = result_.stop_keys;
  for (const std::uint32_t i : feasible_) {
    Stops::Key key = fixed;
    each_level(i, [&](std::size_t level, std::size_t lane) {
      const std::size_t axis = plan_.levels()[level].axis;
      if (axis <= *group_.stop) key += Stops::key(axis, prefixes_.value(level, frame_.codes(level)[lane]));
    });
    if (keys.empty() || keys.back() != key) keys.push_back(key);
  }
  if (keys.size() > 2 * unique_keys_ + kManyKeys) remove_duplicate_keys();
}

void Collector::remove_duplicate_keys() {
  std::vector<Stops::Key>& keys = result_.stop_keys;
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  unique_keys_ = keys.size();
}

/// Adds the feasible lanes with a good score to the sorted list of best candidates, `result_.best`. Most scores are
/// worse than the last entry of a full list. A branch-free scan of all scores finds this case first, before any axis
/// values are looked up. A score equal to the last entry must be tried, because the order of the space decides then. A
/// score that is not finite is left out.
void Collector::keep_best(std::size_t variant, std::size_t count) {
  if (context_.request.top == 0) return;
  const double* const scores = metric(variant, 0, count);
  const bool full = result_.best.size() >= context_.request.top;
  if (full && !any_reaches(scores, result_.best.back().score)) return;
  const auto reaches = [&](double score) {
    return result_.best.size() < context_.request.top || (context_.space.maximize ? score >= result_.best.back().score : score <= result_.best.back().score);
  };
  for (std::size_t i = 0; i < feasible_.count; ++i) {
    if (!reaches(scores[i]) || !std::isfinite(scores[i])) continue;
    opledger::keep_best(result_.best, {scores[i], values_of(variant, feasible_[i])}, {context_.request.top, context_.space.maximize}, context_.assignment,
                        context_.diagnostics);
  }
}

/// Returns whether a score of a feasible lane is at least as good as `bar`.
bool Collector::any_reaches(const double* scores, double bar) const {
  std::size_t reach = 0;
  for (std::size_t i = 0; i < feasible_.count; ++i) reach += (context_.space.maximize ? scores[i] >= bar : scores[i] <= bar) ? 1 : 0;
  return reach > 0;
}

/// Adds feasible lanes to the Pareto front. The kernel has metrics in columns, one value per lane; `points_` has them
/// lane by lane. A point that the front dominates is rejected before its axis values are looked up. A metric that is
/// not finite excludes the lane.
void Collector::keep_front(std::size_t variant, std::size_t count) {
  const std::size_t width = context_.request.front.size();
  points_.resize(kLanes * width);
  for (std::size_t m = 0; m < width; ++m) {
    const double* const values = metric(variant, 1 + context_.request.sums.size() + m, count);
    for (std::size_t i = 0; i < feasible_.count; ++i) points_[i * width + m] = values[i];
  }
  for (std::size_t i = 0; i < feasible_.count; ++i) {
    const std::span<const double> point(points_.data() + i * width, width);
    if (!std::all_of(point.begin(), point.end(), [](double value) { return std::isfinite(value); }) || result_.front.dominates(point)) continue;
    result_.front.add({{point.begin(), point.end()}, values_of(variant, feasible_[i]), 1}, context_.assignment, context_.diagnostics);
  }
}

/// Appends all feasible lanes to the listed rows: axis values, ranks to sort by, and listed metrics. The tables are
/// row-major, but the kernel has each metric as a column over lanes; hence the second loop. A metric that the
/// trace can't evaluate becomes NaN.
void Collector::keep_all(std::size_t variant, std::size_t count) {
  CandidateRows& rows = result_.rows;
  const std::size_t before = rows.count;
  for (const std::uint32_t i : feasible_) {
    const std::vector<double> values = values_of(variant, i);
    rows.values.insert(rows.values.end(), values.begin(), values.end());
    add_ranks(variant, i);
  }
  rows.count += feasible_.count;
  rows.costs.resize(rows.count * rows.metrics);
  const std::vector<Value>& kinds = group_.variants[variant].trace->trace.metrics;
  for (std::size_t m = 0; m < rows.metrics; ++m) {
    const std::size_t output = 1 + context_.request.sums.size() + context_.request.front.size() + m;
    const double* const values = metric(variant, output, count);
    const bool none = kinds[output].kind == Value::Kind::nothing;
    for (std::size_t i = 0; i < feasible_.count; ++i) rows.costs[(before + i) * rows.metrics + m] = none ? std::nan("") : values[i];
  }
}

/// Appends the rank of every free axis, by which rows are sorted: the position of its value in its domain. Ranks of
/// Plan::dependents are known before any level. Every level has the ranks of its own axis and of its dependents, by kind
/// of the variant.
void Collector::add_ranks(std::size_t variant, std::size_t lane) {
  ranks_by_axis_.assign(context_.space.axes.size(), 0);
  const auto take = [&](const std::vector<std::size_t>& axes, const std::uint32_t* ranks) {
    for (std::size_t f = 0; f < axes.size(); ++f) ranks_by_axis_[axes[f]] = ranks[f];
  };
  take(plan_.dependents(), prefixes_.ranks(variant).data());
  each_level(lane, [&](std::size_t l, std::size_t at) {
    const Plan::Level& level = plan_.levels()[l];
    const std::uint32_t* const ranks = lanes_[l].ranks[at] + level.kinds.kind_of[variant] * (1 + level.dependents.size());
    ranks_by_axis_[level.axis] = ranks[0];
    take(level.dependents, ranks + 1);
  });
  for (const std::size_t axis : context_.free.axes) result_.rows.ranks.push_back(ranks_by_axis_[axis]);
}

/// Returns the axis values of a variant in a lane of the last level; derived axes are computed last.
std::vector<double> Collector::values_of(std::size_t variant, std::size_t lane) {
  std::vector<double> out = group_.variants[variant].values;
  each_level(lane, [&](std::size_t level, std::size_t at) { out[plan_.levels()[level].axis] = prefixes_.value(level, frame_.codes(level)[at]); });
  for (const std::size_t a : derived_axes_) out[a] = context_.assignment.domains.of(a, out, context_.diagnostics)->front();
  return out;
}

}  // namespace opledger
