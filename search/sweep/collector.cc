#include "search/sweep/collector.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace opledger {
namespace {

constexpr std::size_t kManyKeys = 4096;

}  // namespace

Collector::Collector(const PartTools& tools, const Part& part, LevelKernel::Frame& frame, const Prefixes& prefixes, const std::vector<Lanes>& lanes,
                     PartResult& to)
    : tools_(tools), part_(part), plan_(part.plan->get()), frame_(frame), prefixes_(prefixes), lanes_(lanes), to_(to) {
  to_.feasible.resize(part.siblings.size());
  to_.some.resize(part.siblings.size());
  to_.sums.resize(tools.request.sums.size());
  std::vector<bool> most;
  for (const FrontMetric& metric : tools.request.front) most.push_back(metric.most);
  to_.front = Front(std::move(most));
  to_.rows.axes = tools.space.axes.size();
  to_.rows.metrics = tools.request.metrics.size();
  for (std::size_t a = 0; a < tools.space.axes.size(); ++a) {
    if (tools.space.axes[a].derived != nullptr && (part.fixed & axis_bit(a)) == 0) follows_.push_back(a);
  }
}

/// From a lane of the last level up.
template <class Visit>
void Collector::each_level(std::size_t lane, const Visit& visit) {
  for (std::size_t level = plan_.levels().size(); level-- > 0;) {
    visit(level, lane);
    if (level > 0) lane = frame_.parents(level)[lane];
  }
}

void Collector::keep(const Lanes& last, std::size_t count) {
  for (std::size_t s = 0; s < part_.siblings.size(); ++s) {
    const std::uint32_t* const marks = last.plain ? nullptr : last.of(s);
    own_.select(count, [&](std::size_t i) { return marks == nullptr || marks[i] == Lanes::kNone; });
    if (own_.count > 0) keep_own(s, count);
  }
}

/// A metric of a sibling's own lanes, one after the other. `count`: of all lanes.
const double* Collector::metric(std::size_t sibling, std::size_t m, std::size_t count) {
  const std::size_t result = plan_.result(sibling, m);
  const double* const values = plan_.kernel().result(frame_, result);
  if (values != nullptr && own_.count == count) return values;
  if (values != nullptr)
    pick(values, own_.begin(), spread_.data(), own_.count);
  else
    std::fill_n(spread_.begin(), own_.count, plan_.kernel().fixed_result(frame_, result));
  return spread_.data();
}

void Collector::keep_own(std::size_t sibling, std::size_t count) {
  if (part_.stop) return keep_stop(sibling);
  to_.feasible[sibling] += own_.count;
  if (to_.some[sibling].empty()) to_.some[sibling] = values_of(sibling, own_[0]);
  for (std::size_t m = 0; m < tools_.request.sums.size(); ++m) {
    const double* const values = metric(sibling, 1 + m, count);
    for (std::size_t i = 0; i < own_.count; ++i) to_.sums[m].add(values[i]);
  }
  keep_best(sibling, count);
  if (!tools_.request.front.empty()) keep_front(sibling, count);
  if (tools_.request.list) keep_all(sibling, count);
}

/// With which values of the axis that is looked at something is feasible, and those before it.
void Collector::keep_stop(std::size_t sibling) {
  Stops::Key fixed = 0;
  for (const std::size_t axis : tools_.free.axes) {
    if (axis <= *part_.stop && (part_.fixed & axis_bit(axis)) != 0) fixed += Stops::key(axis, part_.siblings[sibling].values[axis]);
  }
  std::vector<Stops::Key>& with = to_.with;
  for (const std::uint32_t i : own_) {
    Stops::Key key = fixed;
    each_level(i, [&](std::size_t level, std::size_t lane) {
      const std::size_t axis = plan_.levels()[level].axis;
      if (axis <= *part_.stop) key += Stops::key(axis, prefixes_.value(level, frame_.codes(level)[lane]));
    });
    if (with.empty() || with.back() != key) with.push_back(key);
  }
  if (with.size() > 2 * once_ + kManyKeys) keep_each_once();
}

void Collector::keep_each_once() {
  std::vector<Stops::Key>& with = to_.with;
  std::sort(with.begin(), with.end());
  with.erase(std::unique(with.begin(), with.end()), with.end());
  once_ = with.size();
}

void Collector::keep_best(std::size_t sibling, std::size_t count) {
  if (tools_.request.top == 0) return;
  const double* const scores = metric(sibling, 0, count);
  const bool full = to_.best.size() >= tools_.request.top;
  if (full && !any_reaches(scores, to_.best.back().score)) return;
  const auto reaches = [&](double score) {
    return to_.best.size() < tools_.request.top || (tools_.space.maximise ? score >= to_.best.back().score : score <= to_.best.back().score);
  };
  for (std::size_t i = 0; i < own_.count; ++i) {
    if (!reaches(scores[i]) || !std::isfinite(scores[i])) continue;
    opledger::keep_best(to_.best, {scores[i], values_of(sibling, own_[i])}, {tools_.request.top, tools_.space.maximise}, tools_.assignment, tools_.diagnostics);
  }
}

bool Collector::any_reaches(const double* scores, double bar) const {
  std::size_t reach = 0;
  for (std::size_t i = 0; i < own_.count; ++i) reach += (tools_.space.maximise ? scores[i] >= bar : scores[i] <= bar) ? 1 : 0;
  return reach > 0;
}

void Collector::keep_front(std::size_t sibling, std::size_t count) {
  const std::size_t width = tools_.request.front.size();
  points_.resize(kLanes * width);
  for (std::size_t m = 0; m < width; ++m) {
    const double* const values = metric(sibling, 1 + tools_.request.sums.size() + m, count);
    for (std::size_t i = 0; i < own_.count; ++i) points_[i * width + m] = values[i];
  }
  for (std::size_t i = 0; i < own_.count; ++i) {
    const std::span<const double> point(points_.data() + i * width, width);
    if (!std::all_of(point.begin(), point.end(), [](double value) { return std::isfinite(value); }) || to_.front.beats(point)) continue;
    to_.front.add({{point.begin(), point.end()}, values_of(sibling, own_[i]), 1}, tools_.assignment, tools_.diagnostics);
  }
}

void Collector::keep_all(std::size_t sibling, std::size_t count) {
  FoundRows& rows = to_.rows;
  const std::size_t before = rows.count;
  for (const std::uint32_t i : own_) {
    const std::vector<double> values = values_of(sibling, i);
    rows.values.insert(rows.values.end(), values.begin(), values.end());
    add_ranks(sibling, i);
  }
  rows.count += own_.count;
  rows.costs.resize(rows.count * rows.metrics);
  const std::vector<Value>& kinds = part_.siblings[sibling].structure->trace.metrics;
  for (std::size_t m = 0; m < rows.metrics; ++m) {
    const std::size_t asked = 1 + tools_.request.sums.size() + tools_.request.front.size() + m;
    const double* const values = metric(sibling, asked, count);
    const bool none = kinds[asked].kind == Value::Kind::nothing;
    for (std::size_t i = 0; i < own_.count; ++i) rows.costs[(before + i) * rows.metrics + m] = none ? std::nan("") : values[i];
  }
}

void Collector::add_ranks(std::size_t sibling, std::size_t lane) {
  by_axis_.assign(tools_.space.axes.size(), 0);
  const auto take = [&](const std::vector<std::size_t>& axes, const std::uint32_t* ranks) {
    for (std::size_t f = 0; f < axes.size(); ++f) by_axis_[axes[f]] = ranks[f];
  };
  take(plan_.follow(), prefixes_.ranks(sibling).data());
  each_level(lane, [&](std::size_t l, std::size_t at) {
    const Plan::Level& level = plan_.levels()[l];
    const std::uint32_t* const ranks = lanes_[l].ranks[at] + level.kinds.of[sibling] * (1 + level.follow.size());
    by_axis_[level.axis] = ranks[0];
    take(level.follow, ranks + 1);
  });
  for (const std::size_t axis : tools_.free.axes) to_.rows.ranks.push_back(by_axis_[axis]);
}

/// What a sibling's lane of the last level chooses, and what follows from it.
std::vector<double> Collector::values_of(std::size_t sibling, std::size_t lane) {
  std::vector<double> out = part_.siblings[sibling].values;
  each_level(lane, [&](std::size_t level, std::size_t at) { out[plan_.levels()[level].axis] = prefixes_.value(level, frame_.codes(level)[at]); });
  for (const std::size_t a : follows_) out[a] = tools_.assignment.domains.of(a, out, tools_.diagnostics)->front();
  return out;
}

}  // namespace opledger
