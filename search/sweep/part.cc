#include "search/sweep/part.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "search/sweep/refusals.h"

/// A part is a tree: at each level one more axis has a value, and what depends on the axes so far alone is computed once for each prefix. Prefixes of a level
/// are computed many at a time, and their children gathered until there are as many as the kernel has lanes. Checks are looked at where they are known. A
/// prefix that fails one is dropped with all candidates behind it, which are counted without being gone through, once it is certain that this is the first
/// check that they fail, in the order of the checks; until then it goes along, doomed. What is left at the last level is feasible: it is added to the sums,
/// and kept if it is among the best or on the front.
namespace opledger {
namespace {

constexpr std::uint32_t kNone = UINT32_MAX;  // no check has failed

}  // namespace

/// One part.
class PartRunner::Levels {
 public:
  Levels(PartRunner& owner, const Part& part, Diagnostics& diagnostics)
      : space_(owner.space_),
        free_(owner.free_),
        request_(owner.request_),
        diagnostics_(diagnostics),
        assignment_(owner.assignment_),
        part_(part),
        plan_(*part.plan),
        kernel_(plan_.kernel()),
        frame_(kernel_),
        prefixes_(owner.space_, plan_, owner.assignment_, part.known, part.fixed, part.values, owner.request_.list),
        refusals_(plan_, owner.free_, prefixes_, part.values),
        lanes_(plan_.levels().size()),
        path_(plan_.levels().size() + 1) {
    result_.refused.resize(plan_.checks());
    result_.sums.resize(request_.sums.size());
    std::vector<bool> most;
    for (const FrontMetric& metric : request_.front) most.push_back(metric.most);
    result_.front = Front(std::move(most));
    result_.rows.axes = space_.axes.size();
    result_.rows.metrics = request_.metrics.size();
    for (std::size_t a = 0; a < space_.axes.size(); ++a) {
      if (space_.axes[a].derived != nullptr && (part.known & axis_bit(a)) == 0) follows_.push_back(a);
    }
  }

  bool run() {
    const std::optional<bool> any = prefixes_.begin(diagnostics_);
    if (!any) return false;
    if (!*any) return true;
    kernel_.fix(frame_, free_.of(part_.values), prefixes_.all());
    result_.candidates = prefixes_.behind(-1, path_.data(), diagnostics_);
    if (diagnostics_.has_errors()) return false;
    std::size_t first = 0;
    while (first < plan_.checks() && (kernel_.level(first) >= 0 || kernel_.fixed_check(frame_, first) != 0)) ++first;
    if (first < plan_.checks()) {
      doomed_ = static_cast<std::uint32_t>(first);
      if (plan_.settled(first) < 0) {
        result_.refused[first] += result_.candidates;
        return true;
      }
    }
    if (!lanes_.empty()) return expand(0, 1) && !diagnostics_.has_errors() && !request_.stopped();
    keep(1);
    return !diagnostics_.has_errors();
  }

  PartResult take() {
    keep_each_once();
    return std::move(result_);
  }

 private:
  static constexpr std::size_t kLanes = LevelKernel::kLanes;

  struct Lanes {
    std::array<std::uint32_t, kLanes> first;         ///< The first check that fails, as far as it is known.
    std::array<const std::uint32_t*, kLanes> ranks;  ///< Where all feasible candidates are wanted.
    bool doomed = false;                             ///< Whether some lane fails a check.
  };

  /// The children of lanes of the level before.
  bool expand(std::size_t level, std::size_t parents) {
    if (request_.stopped()) return false;
    number_parents(level, parents);
    std::uint32_t numbers[kLanes];  // of this level: those behind it have their own
    std::copy_n(numbers_.begin(), parents, numbers);
    CodeKey& key = prefixes_.key(level);
    std::uint32_t* const parent = frame_.parents(level);
    std::uint32_t* const codes = frame_.codes(level);
    double* const values = frame_.values(level);
    std::size_t count = 0;
    const Prefixes::Choices* choices = nullptr;
    for (std::size_t p = 0; p < parents; ++p) {
      if (!key.direct()) {
        find_path(level, p, key.levels());
        numbers[p] = key.number(path_.data());
      }
      if (choices == nullptr || numbers[p] != numbers[p - 1]) choices = choices_of(level, p, numbers[p]);
      if (choices == nullptr) return false;
      const std::size_t all = choices->codes.size();
      for (std::size_t from = 0; from < all; ++from) {
        parent[count] = static_cast<std::uint32_t>(p);
        codes[count] = choices->codes[from];
        values[count] = choices->values[from];
        if (request_.list) lanes_[level].ranks[count] = choices->ranks.data() + from * (choices->ranks.size() / all);
        if (++count < kLanes) continue;
        if (!visit(level, count)) return false;
        count = 0;
      }
    }
    return count == 0 || visit(level, count);
  }

  /// Numbers of what decides the children of each, where they are sums.
  void number_parents(std::size_t level, std::size_t parents) {
    const CodeKey& key = prefixes_.key(level);
    std::fill_n(numbers_.begin(), parents, 0);
    for (std::size_t k = 0; k < key.levels().size() && key.direct(); ++k) {
      const std::size_t of = key.levels()[k];
      const std::uint32_t* const codes = frame_.codes(of);
      const std::uint32_t stride = key.stride(k);
      if (of + 1 == level) {
        for (std::size_t p = 0; p < parents; ++p) numbers_[p] += stride * codes[p];
      } else {
        const std::uint32_t* const at = frame_.ancestors(level - 1, of);
        for (std::size_t p = 0; p < parents; ++p) numbers_[p] += stride * codes[at[p]];
      }
    }
  }

  /// The codes of these levels behind which a lane of the level before `level` stands.
  void find_path(std::size_t level, std::size_t lane, const std::vector<std::size_t>& levels) {
    for (const std::size_t of : levels) {
      if (of < level) path_[of] = frame_.codes(of)[of + 1 == level ? lane : frame_.ancestors(level - 1, of)[lane]];
    }
  }

  /// The same of a lane of `level`.
  void find_path_at(std::size_t level, std::size_t lane, const std::vector<std::size_t>& levels) {
    path_[level] = frame_.codes(level)[lane];
    if (level > 0) find_path(level, frame_.parents(level)[lane], levels);
  }

  const Prefixes::Choices* choices_of(std::size_t level, std::size_t parent, std::uint32_t number) {
    find_path(level, parent, prefixes_.key(level).levels());
    return prefixes_.choices(level, number, path_.data(), diagnostics_);
  }

  bool visit(std::size_t level, std::size_t count) {
    kernel_.begin(frame_, level, count);
    if (!check(level)) return !diagnostics_.has_errors();
    kernel_.finish(frame_, level);
    if (level + 1 < lanes_.size()) return expand(level + 1, frame_.count(level));
    keep(frame_.count(level));
    return !diagnostics_.has_errors();
  }

  /// Drops what is refused. False: nothing is left.
  bool check(std::size_t level) {
    Lanes& lanes = lanes_[level];
    const std::size_t count = frame_.count(level);
    const bool doomed = level == 0 ? doomed_ != kNone : lanes_[level - 1].doomed;
    lanes.doomed = false;
    if (!find_first(level, count, doomed)) return true;
    left_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t first = lanes.first[i];
      if (first != kNone) {
        if (refuse(level, i, first)) continue;
        lanes.doomed = true;
      }
      left_.push_back(static_cast<std::uint32_t>(i));
    }
    if (left_.size() == count || left_.empty()) return !left_.empty();
    for (std::size_t i = 0; i < left_.size() && lanes.doomed; ++i) lanes.first[i] = lanes.first[left_[i]];
    for (std::size_t i = 0; i < left_.size() && request_.list; ++i) lanes.ranks[i] = lanes.ranks[left_[i]];
    kernel_.narrow(frame_, level, left_);
    return true;
  }

  /// The first check that each lane fails so far. False: none does.
  bool find_first(std::size_t level, std::size_t count, bool doomed) {
    std::uint32_t* const first = lanes_[level].first.data();
    bool any = doomed;
    if (level == 0 || !doomed) {
      std::fill_n(first, count, level == 0 ? doomed_ : kNone);
    } else {
      for (std::size_t i = 0; i < count; ++i) first[i] = lanes_[level - 1].first[frame_.parents(level)[i]];
    }
    for (const std::size_t c : plan_.levels()[level].checks) {
      const double* const holds = kernel_.check(frame_, c);
      const auto check = static_cast<std::uint32_t>(c);
      if (all_hold(holds, count)) continue;
      any = true;
      for (std::size_t i = 0; i < count; ++i) first[i] = holds[i] == 0 && check < first[i] ? check : first[i];
    }
    return any;
  }

  static bool all_hold(const double* holds, std::size_t count) {
    std::size_t fail = 0;
    for (std::size_t i = 0; i < count; ++i) fail += holds[i] == 0 ? 1 : 0;
    return fail == 0;
  }

  /// Counts the candidates behind a lane that fails a check. False: that has to wait, the lane goes along.
  bool refuse(std::size_t level, std::size_t lane, std::size_t first) {
    if (plan_.settled(first) <= static_cast<int>(level)) {
      result_.refused[first] += behind(level, lane);
      return true;
    }
    const Plan::Doomed& doomed = plan_.doomed(level, first);
    if (!doomed.counted) return false;
    find_path_at(level, lane, doomed.keys);
    refusals_.add(level, first, path_.data(), result_.refused, diagnostics_);
    return true;
  }

  /// Candidates behind a lane.
  std::uint64_t behind(std::size_t level, std::size_t lane) {
    if (level + 1 == lanes_.size()) return 1;
    find_path_at(level, lane, plan_.levels()[level].decide);
    return prefixes_.behind(static_cast<int>(level), path_.data(), diagnostics_);
  }

  /// A metric of the candidates of the last level; what is fixed is spread.
  const double* metric(std::size_t m, std::size_t count) {
    if (const double* const values = kernel_.result(frame_, m)) return values;
    std::fill_n(spread_.begin(), count, kernel_.fixed_result(frame_, m));
    return spread_.data();
  }

  void keep(std::size_t count) {
    if (part_.stop) return keep_stop(count);
    result_.feasible += count;
    for (std::size_t m = 0; m < request_.sums.size(); ++m) {
      const double* const values = metric(1 + m, count);
      for (std::size_t i = 0; i < count; ++i) result_.sums[m].add(values[i]);
    }
    keep_best(count);
    if (!request_.front.empty()) keep_front(count);
    if (request_.list) keep_all(count);
  }

  /// With which values of the axis that is looked at something is feasible, and those before it.
  void keep_stop(std::size_t count) {
    Stops::Key fixed = 0;
    for (const std::size_t axis : free_.axes) {
      if (axis <= *part_.stop && (part_.fixed & axis_bit(axis)) != 0) fixed += Stops::key(axis, part_.values[axis]);
    }
    std::vector<Stops::Key>& with = result_.with;
    for (std::size_t i = 0; i < count; ++i) {
      Stops::Key key = fixed;
      each_level(i, [&](std::size_t level, std::size_t lane) {
        const std::size_t axis = plan_.levels()[level].axis;
        if (axis <= *part_.stop) key += Stops::key(axis, prefixes_.value(level, frame_.codes(level)[lane]));
      });
      if (with.empty() || with.back() != key) with.push_back(key);
    }
    if (with.size() > 2 * once_ + kManyKeys) keep_each_once();
  }

  void keep_each_once() {
    std::vector<Stops::Key>& with = result_.with;
    std::sort(with.begin(), with.end());
    with.erase(std::unique(with.begin(), with.end()), with.end());
    once_ = with.size();
  }

  void keep_best(std::size_t count) {
    if (request_.top == 0) return;
    const double* const scores = metric(0, count);
    const bool full = result_.best.size() >= request_.top;
    if (full && !any_reaches(scores, count, result_.best.back().score)) return;
    const auto reaches = [&](double score) {
      return result_.best.size() < request_.top || (space_.maximise ? score >= result_.best.back().score : score <= result_.best.back().score);
    };
    for (std::size_t i = 0; i < count; ++i) {
      if (!reaches(scores[i]) || !std::isfinite(scores[i])) continue;
      opledger::keep_best(result_.best, {scores[i], values_of(i)}, {request_.top, space_.maximise}, assignment_, diagnostics_);
    }
  }

  bool any_reaches(const double* scores, std::size_t count, double bar) const {
    std::size_t reach = 0;
    for (std::size_t i = 0; i < count; ++i) reach += (space_.maximise ? scores[i] >= bar : scores[i] <= bar) ? 1 : 0;
    return reach > 0;
  }

  void keep_front(std::size_t count) {
    const std::size_t width = request_.front.size();
    points_.resize(kLanes * width);
    for (std::size_t m = 0; m < width; ++m) {
      const double* const values = metric(1 + request_.sums.size() + m, count);
      for (std::size_t i = 0; i < count; ++i) points_[i * width + m] = values[i];
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::span<const double> point(points_.data() + i * width, width);
      if (!std::all_of(point.begin(), point.end(), [](double value) { return std::isfinite(value); }) || result_.front.beats(point)) continue;
      result_.front.add({{point.begin(), point.end()}, values_of(i), 1}, assignment_, diagnostics_);
    }
  }

  void keep_all(std::size_t count) {
    FoundRows& rows = result_.rows;
    const std::size_t before = rows.count;
    for (std::size_t i = 0; i < count; ++i) {
      const std::vector<double> values = values_of(i);
      rows.values.insert(rows.values.end(), values.begin(), values.end());
      add_ranks(i);
    }
    rows.count += count;
    rows.costs.resize(rows.count * rows.metrics);
    for (std::size_t m = 0; m < rows.metrics; ++m) {
      const double* const values = metric(1 + request_.sums.size() + request_.front.size() + m, count);
      for (std::size_t i = 0; i < count; ++i) rows.costs[(before + i) * rows.metrics + m] = values[i];
    }
  }

  void add_ranks(std::size_t lane) {
    by_axis_.assign(space_.axes.size(), 0);
    const auto take = [&](const std::vector<std::size_t>& axes, const std::uint32_t* ranks) {
      for (std::size_t f = 0; f < axes.size(); ++f) by_axis_[axes[f]] = ranks[f];
    };
    take(plan_.follow(), prefixes_.ranks().data());
    each_level(lane, [&](std::size_t level, std::size_t at) {
      const std::uint32_t* const ranks = lanes_[level].ranks[at];
      by_axis_[plan_.levels()[level].axis] = ranks[0];
      take(plan_.levels()[level].follow, ranks + 1);
    });
    for (const std::size_t axis : free_.axes) result_.rows.ranks.push_back(by_axis_[axis]);
  }

  /// From a lane of the last level up.
  template <class Visit>
  void each_level(std::size_t lane, const Visit& visit) {
    for (std::size_t level = lanes_.size(); level-- > 0;) {
      visit(level, lane);
      if (level > 0) lane = frame_.parents(level)[lane];
    }
  }

  /// What a lane of the last level chooses, and what follows from it.
  std::vector<double> values_of(std::size_t lane) {
    std::vector<double> out = part_.values;
    each_level(lane, [&](std::size_t level, std::size_t at) { out[plan_.levels()[level].axis] = prefixes_.value(level, frame_.codes(level)[at]); });
    for (const std::size_t a : follows_) out[a] = assignment_.domains.of(a, out, diagnostics_)->front();
    return out;
  }

  static constexpr std::size_t kManyKeys = 4096;

  Space& space_;
  const FreeAxes& free_;
  const SweepRequest& request_;
  Diagnostics& diagnostics_;
  Assignment& assignment_;
  const Part& part_;
  const Plan& plan_;
  const LevelKernel& kernel_;
  LevelKernel::Frame frame_;
  Prefixes prefixes_;
  Refusals refusals_;
  std::vector<Lanes> lanes_;         ///< By level.
  std::vector<std::uint32_t> path_;  ///< By level: codes of a prefix.
  std::array<std::uint32_t, kLanes> numbers_{};
  std::uint32_t doomed_ = kNone;  ///< The first check that all candidates fail, where some may fail one before.
  std::vector<std::uint32_t> left_, by_axis_;
  std::array<double, kLanes> spread_{};
  std::vector<double> points_;
  std::vector<std::size_t> follows_;  ///< Derived axes.
  std::size_t once_ = 0;              ///< Of what is kept of an axis that stops, so many are each there once.
  PartResult result_;
};

PartRunner::PartRunner(Space& space, const FreeAxes& free, const Stops& stops, const SweepRequest& request)
    : space_(space), free_(free), stops_(stops), request_(request), assignment_(space, &stops) {}

PartRunner::~PartRunner() = default;

std::optional<PartResult> PartRunner::run(const Part& part, Diagnostics& diagnostics) {
  assignment_.enter(*part.stretch, part.region);
  assignment_.values = part.values;
  Levels levels(*this, part, diagnostics);
  if (!levels.run()) return std::nullopt;
  return levels.take();
}

}  // namespace opledger
