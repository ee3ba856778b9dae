#include "search/sweep/part.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "search/sweep/refusals.h"

/// A part is a tree: at each level one more axis has a value, and what depends on the axes so far alone is computed once for each prefix, for all siblings.
/// Prefixes of a level are computed many at a time, and their children gathered until there are as many as the kernel has lanes. Checks are looked at where
/// they are known. A sibling whose check a prefix fails leaves it, and its candidates behind it are counted without being gone through, once it is certain
/// that this is the first check that they fail, in the order of the checks; until then it goes along, doomed. A prefix that all have left is dropped. What is
/// left at the last level is feasible: it is added to the sums, and kept if it is among the best or on the front.
namespace opledger {
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
        siblings_(part.siblings.size()),
        inputs_(plan_.inputs(part.siblings)),
        prefixes_(owner.space_, part, owner.assignment_, owner.request_.list),
        refusals_(plan_, prefixes_, inputs_),
        lanes_(plan_.levels().size()),
        path_(plan_.levels().size() + 1) {
    result_.feasible.resize(siblings_);
    result_.some.resize(siblings_);
    for (std::size_t s = 0; s < siblings_; ++s) result_.refused.emplace_back(plan_.checks_of(s).size());
    result_.sums.resize(request_.sums.size());
    std::vector<bool> most;
    for (const FrontMetric& metric : request_.front) most.push_back(metric.most);
    result_.front = Front(std::move(most));
    result_.rows.axes = space_.axes.size();
    result_.rows.metrics = request_.metrics.size();
    for (std::size_t a = 0; a < space_.axes.size(); ++a) {
      if (space_.axes[a].derived != nullptr && (part.fixed & axis_bit(a)) == 0) follows_.push_back(a);
    }
  }

  bool run() {
    const std::optional<SiblingSet> any = prefixes_.begin(diagnostics_);
    if (!any) return false;
    root_.alive = *any;
    kernel_.fix(frame_, inputs_, prefixes_.all());
    check_fixed();
    if (root_.alive != 0) {
      if (lanes_.empty())
        keep_root();
      else
        expand(0, 1);
    }
    return !diagnostics_.has_errors() && !request_.stopped();
  }

  PartResult take() {
    keep_each_once();
    for (std::size_t s = 0; s < siblings_; ++s)
      result_.candidates += std::accumulate(result_.refused[s].begin(), result_.refused[s].end(), result_.feasible[s]);
    return std::move(result_);
  }

 private:
  static constexpr std::size_t kLanes = LevelKernel::kLanes;

  /// What of a prefix is known for all siblings at once.
  struct State {
    SiblingSet alive = 0, doomed = 0;      ///< Who has it; of these, who fails a check.
    const std::uint32_t* ranks = nullptr;  ///< Where all feasible candidates are wanted.
  };
  struct Lanes {
    std::array<State, kLanes> states;
    std::vector<std::uint32_t> first;  ///< By lane and sibling that is doomed: the place of the first check that it fails, as far as it is known.
    bool doomed = false;               ///< Whether some sibling of some lane is.
  };

  /// What fails whatever the levels choose.
  void check_fixed() {
    root_first_.assign(siblings_, 0);
    for (std::size_t s = 0; s < siblings_; ++s) {
      const std::vector<std::size_t>& checks = plan_.checks_of(s);
      const auto fails = [&](std::size_t c) { return kernel_.level(c) < 0 && kernel_.fixed_check(frame_, c) == 0; };
      const auto first = static_cast<std::size_t>(std::find_if(checks.begin(), checks.end(), fails) - checks.begin());
      if (first == checks.size() || (root_.alive & sibling_bit(s)) == 0) continue;
      if (plan_.order_of(s).settled[first] < 0) {
        result_.refused[s][first] += prefixes_.behind(-1, path_.data(), s, diagnostics_);
        root_.alive &= ~sibling_bit(s);
      } else {
        root_.doomed |= sibling_bit(s);
        root_first_[s] = static_cast<std::uint32_t>(first);
      }
    }
  }

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
    State* const states = lanes_[level].states.data();
    const State* const before = level == 0 ? &root_ : lanes_[level - 1].states.data();
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
        const SiblingSet alive = before[p].alive & choices->siblings[from];
        if (alive == 0) continue;
        parent[count] = static_cast<std::uint32_t>(p);
        codes[count] = choices->codes[from];
        values[count] = choices->values[from];
        states[count] = {alive, before[p].doomed & alive, choices->ranks.data() + from * (choices->ranks.size() / all)};
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

  /// Lets siblings leave whose checks fail, and drops what nobody has. False: nothing is left.
  bool check(std::size_t level) {
    Lanes& lanes = lanes_[level];
    const std::size_t count = frame_.count(level);
    inherit(level, count);
    for (const std::size_t c : plan_.levels()[level].checks) {
      const double* const holds = kernel_.check(frame_, c);
      if (all_hold(holds, count)) continue;
      for (std::size_t i = 0; i < count; ++i) {
        if (holds[i] == 0) doom(lanes, i, plan_.checks()[c]);
      }
    }
    if (!lanes.doomed) return true;
    lanes.doomed = false;
    left_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      State& state = lanes.states[i];
      each_sibling(state.doomed, [&](std::size_t s) {
        if (refuse(level, i, s, lanes.first[i * siblings_ + s])) {
          state.alive &= ~sibling_bit(s);
          state.doomed &= ~sibling_bit(s);
        }
      });
      lanes.doomed = lanes.doomed || state.doomed != 0;
      if (state.alive != 0) left_.push_back(static_cast<std::uint32_t>(i));
    }
    if (left_.size() == count || left_.empty()) return !left_.empty();
    for (std::size_t i = 0; i < left_.size(); ++i) {
      lanes.states[i] = lanes.states[left_[i]];
      if (lanes.states[i].doomed != 0) std::copy_n(lanes.first.begin() + left_[i] * siblings_, siblings_, lanes.first.begin() + i * siblings_);
    }
    kernel_.narrow(frame_, level, left_);
    return true;
  }

  /// Which checks the doomed fail, of the level before.
  void inherit(std::size_t level, std::size_t count) {
    Lanes& lanes = lanes_[level];
    lanes.doomed = level == 0 ? root_.doomed != 0 : lanes_[level - 1].doomed;
    lanes.first.resize(kLanes * siblings_);
    for (std::size_t i = 0; i < count && lanes.doomed; ++i) {
      const std::uint32_t* const first = level == 0 ? root_first_.data() : lanes_[level - 1].first.data() + frame_.parents(level)[i] * siblings_;
      if (lanes.states[i].doomed != 0) std::copy_n(first, siblings_, lanes.first.begin() + i * siblings_);
    }
  }

  void doom(Lanes& lanes, std::size_t lane, const Plan::Check& check) {
    State& state = lanes.states[lane];
    each_sibling(state.alive & check.siblings, [&](std::size_t s) {
      std::uint32_t& first = lanes.first[lane * siblings_ + s];
      const auto place = static_cast<std::uint32_t>(check.places[s]);
      first = (state.doomed & sibling_bit(s)) != 0 ? std::min(first, place) : place;
      state.doomed |= sibling_bit(s);
      lanes.doomed = true;
    });
  }

  template <class Visit>
  static void each_sibling(SiblingSet siblings, const Visit& visit) {
    for (; siblings != 0; siblings &= siblings - 1) visit(static_cast<std::size_t>(std::countr_zero(siblings)));
  }

  static bool all_hold(const double* holds, std::size_t count) {
    std::size_t fail = 0;
    for (std::size_t i = 0; i < count; ++i) fail += holds[i] == 0 ? 1 : 0;
    return fail == 0;
  }

  /// Counts a sibling's candidates behind a lane that fails a check of it. False: that has to wait, it goes along.
  bool refuse(std::size_t level, std::size_t lane, std::size_t sibling, std::size_t first) {
    const CheckOrder& order = plan_.order_of(sibling);
    if (order.settled[first] <= static_cast<int>(level)) {
      result_.refused[sibling][first] += behind(level, lane, sibling);
      return true;
    }
    const CheckOrder::Doomed& doomed = order.doomed[level][first];
    if (!doomed.counted) return false;
    find_path_at(level, lane, doomed.keys);
    refusals_.add(level, sibling, first, path_.data(), result_.refused[sibling], diagnostics_);
    return true;
  }

  /// Candidates of a sibling behind a lane.
  std::uint64_t behind(std::size_t level, std::size_t lane, std::size_t sibling) {
    if (level + 1 == lanes_.size()) return 1;
    find_path_at(level, lane, plan_.levels()[level].decide);
    return prefixes_.behind(static_cast<int>(level), path_.data(), sibling, diagnostics_);
  }

  /// What is feasible at the last level, sibling by sibling.
  void keep(std::size_t count) {
    const std::array<State, kLanes>& states = lanes_.back().states;
    for (std::size_t s = 0; s < siblings_; ++s) {
      own_.clear();
      for (std::size_t i = 0; i < count; ++i) {
        if ((states[i].alive & sibling_bit(s)) != 0) own_.push_back(static_cast<std::uint32_t>(i));
      }
      if (!own_.empty()) keep_sibling(s, count);
    }
  }

  /// Where no axis has several values.
  void keep_root() {
    own_.assign(1, 0);
    each_sibling(root_.alive, [&](std::size_t s) { keep_sibling(s, 1); });
  }

  /// A metric of a sibling's own lanes, one after the other. `count`: of all lanes.
  const double* metric(std::size_t sibling, std::size_t m, std::size_t count) {
    const std::size_t result = plan_.result(sibling, m);
    const double* const values = kernel_.result(frame_, result);
    if (values != nullptr && own_.size() == count) return values;
    if (values != nullptr)
      pick(values, own_.data(), spread_.data(), own_.size());
    else
      std::fill_n(spread_.begin(), own_.size(), kernel_.fixed_result(frame_, result));
    return spread_.data();
  }

  void keep_sibling(std::size_t sibling, std::size_t count) {
    if (part_.stop) return keep_stop(sibling);
    result_.feasible[sibling] += own_.size();
    if (result_.some[sibling].empty()) result_.some[sibling] = values_of(sibling, own_[0]);
    for (std::size_t m = 0; m < request_.sums.size(); ++m) {
      const double* const values = metric(sibling, 1 + m, count);
      for (std::size_t i = 0; i < own_.size(); ++i) result_.sums[m].add(values[i]);
    }
    keep_best(sibling, count);
    if (!request_.front.empty()) keep_front(sibling, count);
    if (request_.list) keep_all(sibling, count);
  }

  /// With which values of the axis that is looked at something is feasible, and those before it.
  void keep_stop(std::size_t sibling) {
    Stops::Key fixed = 0;
    for (const std::size_t axis : free_.axes) {
      if (axis <= *part_.stop && (part_.fixed & axis_bit(axis)) != 0) fixed += Stops::key(axis, part_.siblings[sibling].values[axis]);
    }
    std::vector<Stops::Key>& with = result_.with;
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

  void keep_each_once() {
    std::vector<Stops::Key>& with = result_.with;
    std::sort(with.begin(), with.end());
    with.erase(std::unique(with.begin(), with.end()), with.end());
    once_ = with.size();
  }

  void keep_best(std::size_t sibling, std::size_t count) {
    if (request_.top == 0) return;
    const double* const scores = metric(sibling, 0, count);
    const bool full = result_.best.size() >= request_.top;
    if (full && !any_reaches(scores, own_.size(), result_.best.back().score)) return;
    const auto reaches = [&](double score) {
      return result_.best.size() < request_.top || (space_.maximise ? score >= result_.best.back().score : score <= result_.best.back().score);
    };
    for (std::size_t i = 0; i < own_.size(); ++i) {
      if (!reaches(scores[i]) || !std::isfinite(scores[i])) continue;
      opledger::keep_best(result_.best, {scores[i], values_of(sibling, own_[i])}, {request_.top, space_.maximise}, assignment_, diagnostics_);
    }
  }

  bool any_reaches(const double* scores, std::size_t count, double bar) const {
    std::size_t reach = 0;
    for (std::size_t i = 0; i < count; ++i) reach += (space_.maximise ? scores[i] >= bar : scores[i] <= bar) ? 1 : 0;
    return reach > 0;
  }

  void keep_front(std::size_t sibling, std::size_t count) {
    const std::size_t width = request_.front.size();
    points_.resize(kLanes * width);
    for (std::size_t m = 0; m < width; ++m) {
      const double* const values = metric(sibling, 1 + request_.sums.size() + m, count);
      for (std::size_t i = 0; i < own_.size(); ++i) points_[i * width + m] = values[i];
    }
    for (std::size_t i = 0; i < own_.size(); ++i) {
      const std::span<const double> point(points_.data() + i * width, width);
      if (!std::all_of(point.begin(), point.end(), [](double value) { return std::isfinite(value); }) || result_.front.beats(point)) continue;
      result_.front.add({{point.begin(), point.end()}, values_of(sibling, own_[i]), 1}, assignment_, diagnostics_);
    }
  }

  void keep_all(std::size_t sibling, std::size_t count) {
    FoundRows& rows = result_.rows;
    const std::size_t before = rows.count;
    for (const std::uint32_t i : own_) {
      const std::vector<double> values = values_of(sibling, i);
      rows.values.insert(rows.values.end(), values.begin(), values.end());
      add_ranks(sibling, i);
    }
    rows.count += own_.size();
    rows.costs.resize(rows.count * rows.metrics);
    const std::vector<Value>& kinds = part_.siblings[sibling].structure->trace.metrics;
    for (std::size_t m = 0; m < rows.metrics; ++m) {
      const std::size_t asked = 1 + request_.sums.size() + request_.front.size() + m;
      const double* const values = metric(sibling, asked, count);
      const bool none = kinds[asked].kind == Value::Kind::nothing;
      for (std::size_t i = 0; i < own_.size(); ++i) rows.costs[(before + i) * rows.metrics + m] = none ? std::nan("") : values[i];
    }
  }

  void add_ranks(std::size_t sibling, std::size_t lane) {
    by_axis_.assign(space_.axes.size(), 0);
    const auto take = [&](const std::vector<std::size_t>& axes, const std::uint32_t* ranks) {
      for (std::size_t f = 0; f < axes.size(); ++f) by_axis_[axes[f]] = ranks[f];
    };
    take(plan_.follow(), prefixes_.ranks(sibling).data());
    each_level(lane, [&](std::size_t l, std::size_t at) {
      const Plan::Level& level = plan_.levels()[l];
      const std::uint32_t* const ranks = lanes_[l].states[at].ranks + level.kinds.of[sibling] * (1 + level.follow.size());
      by_axis_[level.axis] = ranks[0];
      take(level.follow, ranks + 1);
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

  /// What a sibling's lane of the last level chooses, and what follows from it.
  std::vector<double> values_of(std::size_t sibling, std::size_t lane) {
    std::vector<double> out = part_.siblings[sibling].values;
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
  const std::size_t siblings_;
  const std::vector<double> inputs_;  ///< Of the kernel.
  Prefixes prefixes_;
  Refusals refusals_;
  State root_;
  std::vector<std::uint32_t> root_first_;  ///< By sibling that is doomed from the start: the check.
  std::vector<Lanes> lanes_;               ///< By level.
  std::vector<std::uint32_t> path_;        ///< By level: codes of a prefix.
  std::array<std::uint32_t, kLanes> numbers_{};
  std::vector<std::uint32_t> left_, own_, by_axis_;
  std::array<double, lanes_for(kLanes)> spread_{};
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
  Levels levels(*this, part, diagnostics);
  if (!levels.run()) return std::nullopt;
  return levels.take();
}

}  // namespace opledger
