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
namespace {

// Of a sibling and a lane: it has no candidates there any more; no check has failed; else one more than the place of the first check that fails, so far.
constexpr std::uint32_t kGone = 0, kNone = UINT32_MAX;

}  // namespace

/// One part.
class PartRunner::Levels {
 public:
  Levels(PartRunner& owner, const Part& part, std::size_t share, Diagnostics& diagnostics)
      : space_(owner.space_),
        free_(owner.free_),
        request_(owner.request_),
        diagnostics_(diagnostics),
        assignment_(owner.assignment_),
        part_(part),
        share_(share),
        plan_(part.plan->get()),
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
    kernel_.fix(frame_, inputs_, prefixes_.all());
    check_fixed(*any);
    if (lanes_.empty())
      keep(root_, 1);
    else if (!all_gone(root_))
      expand(0, 1);
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

  /// Some lanes, rising.
  struct LaneList {
    std::array<std::uint32_t, kLanes> all;
    std::size_t count = 0;

    template <class Test>
    void select(std::size_t of, const Test& test) {
      count = 0;
      for (std::size_t i = 0; i < of; ++i) {
        all[count] = static_cast<std::uint32_t>(i);
        count += test(i) ? 1 : 0;
      }
    }
    std::uint32_t* begin() { return all.data(); }
    std::uint32_t* end() { return all.data() + count; }
    const std::uint32_t* begin() const { return all.data(); }
    const std::uint32_t* end() const { return all.data() + count; }
    std::uint32_t operator[](std::size_t i) const { return all[i]; }
    std::size_t size() const { return count; }
  };
  /// Of the lanes of a level.
  struct Lanes {
    bool plain = true;                                 ///< No sibling is gone, and none fails a check. Then the next is not filled in:
    std::vector<std::uint32_t> first;                  ///< by sibling and lane.
    std::array<SiblingSet, kLanes> siblings{};         ///< Who has the value, where not all do.
    std::array<const std::uint32_t*, kLanes> ranks{};  ///< Where all feasible candidates are wanted.
  };

  std::uint32_t* first(Lanes& lanes, std::size_t sibling) const { return lanes.first.data() + sibling * lanes_for(kLanes); }
  void fill(Lanes& lanes) const {
    if (lanes.plain) lanes.first.assign(siblings_ * lanes_for(kLanes), kNone);
    lanes.plain = false;
  }
  bool all_gone(Lanes& lanes) const {
    for (std::size_t s = 0; s < siblings_; ++s) {
      if (lanes.plain || first(lanes, s)[0] != kGone) return false;
    }
    return true;
  }

  /// What is known whatever the levels choose. `any`: siblings that have candidates.
  void check_fixed(SiblingSet any) {
    for (std::size_t s = 0; s < siblings_; ++s) {
      const std::vector<std::size_t>& checks = plan_.checks_of(s);
      const auto fails = [&](std::size_t c) { return kernel_.level(c) < 0 && kernel_.fixed_check(frame_, c) == 0; };
      const auto place = static_cast<std::size_t>(std::find_if(checks.begin(), checks.end(), fails) - checks.begin());
      const bool gone = (any & sibling_bit(s)) == 0, fail = place < checks.size();
      if (!gone && !fail) continue;
      const bool settled = fail && plan_.order_of(s).settled[place] < 0;
      if (!gone && settled && share_ == 0) result_.refused[s][place] += prefixes_.behind(-1, path_.data(), s, diagnostics_);
      fill(root_);
      first(root_, s)[0] = gone || settled ? kGone : static_cast<std::uint32_t>(place + 1);
    }
  }

  /// The children of lanes of the level before.
  bool expand(std::size_t level, std::size_t parents) {
    if (request_.stopped()) return false;
    CodeKey& key = prefixes_.key(level);
    std::uint32_t numbers[kLanes];  // of this level: those behind it have their own
    number_parents(level, parents, key, numbers);
    std::size_t count = 0, same = 0;
    for (std::size_t p = 0; p < parents; p += same) {
      for (same = 1; p + same < parents && numbers[p + same] == numbers[p];) ++same;
      const Prefixes::Choices* const choices = choices_of(level, p, numbers[p]);
      if (choices == nullptr) return false;
      const std::size_t all = same * choices->codes.size();
      for (std::size_t from = 0; from < all;) {
        const std::size_t some = std::min(all - from, kLanes - count);
        add_lanes(level, p, *choices, from, some, count);
        from += some;
        count += some;
        if (count < kLanes) continue;
        if (!visit(level, count)) return false;
        count = 0;
      }
    }
    return count == 0 || visit(level, count);
  }

  /// Of parents with the same choices, one after the other, so many children from one on, as lanes from one on.
  void add_lanes(std::size_t level, std::size_t parent, const Prefixes::Choices& choices, std::size_t from, std::size_t count, std::size_t lane) {
    Lanes& lanes = lanes_[level];
    const std::size_t all = choices.codes.size(), width = choices.ranks.size() / all;
    const bool part = plan_.levels()[level].kinds.first.size() > 1, list = request_.list;
    std::uint32_t* const parents = frame_.parents(level);
    std::uint32_t* const codes = frame_.codes(level);
    double* const values = frame_.values(level);
    const std::uint32_t* const code = choices.codes.data();
    const double* const value = choices.values.data();
    parent += from / all;
    std::size_t c = from % all;
    for (std::size_t i = lane; i < lane + count; ++i) {
      parents[i] = static_cast<std::uint32_t>(parent);
      codes[i] = code[c];
      values[i] = value[c];
      if (part) lanes.siblings[i] = choices.siblings[c];
      if (list) lanes.ranks[i] = choices.ranks.data() + c * width;
      if (++c == all) {
        c = 0;
        ++parent;
      }
    }
  }

  /// By lane of the level before: numbers of its codes.
  void number_parents(std::size_t level, std::size_t parents, CodeKey& key, std::uint32_t* numbers) {
    if (!key.direct()) {
      for (std::size_t p = 0; p < parents; ++p) {
        find_path(level, p, key.levels());
        numbers[p] = key.number(path_.data());
      }
      return;
    }
    std::fill_n(numbers, parents, 0);
    for (std::size_t k = 0; k < key.levels().size(); ++k) {
      const std::size_t of = key.levels()[k];
      add_scaled(frame_.codes(of), of + 1 == level ? nullptr : frame_.ancestors(level - 1, of), key.stride(k), numbers, parents);
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
    if (const Prefixes::Choices* const known = prefixes_.known(level, number)) return known;
    find_path(level, parent, prefixes_.key(level).levels());
    return prefixes_.choices(level, number, path_.data(), diagnostics_);
  }

  bool visit(std::size_t level, std::size_t count) {
    if (level == plan_.shares().level && plan_.shares().count > 1) count = leave_share(level, count);
    if (count == 0) return true;
    kernel_.begin(frame_, level, count);
    if (!check(level)) return !diagnostics_.has_errors();
    kernel_.finish(frame_, level);
    if (level + 1 < lanes_.size()) return expand(level + 1, frame_.count(level));
    keep(lanes_[level], frame_.count(level));
    return !diagnostics_.has_errors();
  }

  /// Leaves those lanes that are the part's, by turns.
  std::size_t leave_share(std::size_t level, std::size_t count) {
    left_.select(count, [&](std::size_t) { return shared_++ % plan_.shares().count == share_; });
    const auto take = [&](auto* all) { pick(all, left_.begin(), all, left_.count); };
    take(frame_.parents(level));
    take(frame_.codes(level));
    take(frame_.values(level));
    for (std::size_t i = 0; i < left_.count; ++i) {
      lanes_[level].siblings[i] = lanes_[level].siblings[left_[i]];
      lanes_[level].ranks[i] = lanes_[level].ranks[left_[i]];
    }
    return left_.count;
  }

  /// Lets siblings leave whose checks fail, and drops what nobody has. False: nothing is left.
  bool check(std::size_t level) {
    Lanes& lanes = lanes_[level];
    const std::size_t count = frame_.count(level);
    inherit(level, count);
    for (const std::size_t c : plan_.levels()[level].checks) {
      const double* const holds = kernel_.check(frame_, c);
      if (all_hold(holds, count)) continue;
      fill(lanes);
      each_sibling(plan_.checks()[c].siblings, [&](std::size_t s) {
        const auto place = static_cast<std::uint32_t>(plan_.checks()[c].places[s] + 1);
        std::uint32_t* const own = first(lanes, s);
        for (std::size_t i = 0; i < count; ++i) own[i] = holds[i] == 0 && place < own[i] ? place : own[i];
      });
    }
    return lanes.plain || leave(level, count);
  }

  /// What lanes take from those of the level before.
  void inherit(std::size_t level, std::size_t count) {
    Lanes &lanes = lanes_[level], &before = level == 0 ? root_ : lanes_[level - 1];
    const bool all = plan_.levels()[level].kinds.first.size() == 1;
    lanes.plain = true;
    if (before.plain && all) return;
    fill(lanes);
    for (std::size_t s = 0; s < siblings_; ++s) {
      std::uint32_t* const own = first(lanes, s);
      if (!before.plain) pick(first(before, s), frame_.parents(level), own, count);
      for (std::size_t i = 0; i < count && !all; ++i) own[i] = (lanes.siblings[i] & sibling_bit(s)) != 0 ? own[i] : kGone;
    }
  }

  bool leave(std::size_t level, std::size_t count) {
    Lanes& lanes = lanes_[level];
    std::fill_n(stays_.begin(), count, 0);
    bool plain = true;
    for (std::size_t s = 0; s < siblings_; ++s) {
      std::uint32_t* const own = first(lanes, s);
      failing_.select(count, [&](std::size_t i) { return own[i] + 1 > kGone + 1; });  // neither gone nor none
      while (failing_.count > 0) refuse_alike(level, s, own);
      for (std::size_t i = 0; i < count; ++i) stays_[i] |= own[i];
    }
    left_.select(count, [&](std::size_t i) { return stays_[i] != kGone; });
    if (left_.count == 0) return false;
    for (std::size_t s = 0; s < siblings_; ++s) {
      std::uint32_t* const own = first(lanes, s);
      if (left_.size() < count) pick(own, left_.begin(), own, left_.size());
      for (std::size_t i = 0; i < left_.size(); ++i) plain = plain && own[i] == kNone;
    }
    lanes.plain = plain;
    if (left_.size() == count) return true;
    for (std::size_t i = 0; i < left_.size() && request_.list; ++i) lanes.ranks[i] = lanes.ranks[left_[i]];
    kernel_.narrow(frame_, level, std::span(left_.begin(), left_.end()));
    return true;
  }

  template <class Visit>
  static void each_sibling(SiblingSet siblings, const Visit& visit) {
    for (; siblings != 0; siblings &= siblings - 1) visit(static_cast<std::size_t>(std::countr_zero(siblings)));
  }

  /// Of lanes where a sibling fails a check those that fail the same one: counts its candidates behind them, or they go along.
  void refuse_alike(std::size_t level, std::size_t sibling, std::uint32_t* own) {
    const std::uint32_t mark = own[failing_[failing_.count - 1]];
    const auto others = std::partition(failing_.begin(), failing_.end(), [&](std::uint32_t i) { return own[i] != mark; });
    const std::span<const std::uint32_t> alike(others, failing_.end());  // in any order
    if (refuse(level, sibling, mark - 1, alike)) {
      for (const std::uint32_t i : alike) own[i] = kGone;
    }
    failing_.count -= alike.size();
  }

  /// False: that has to wait.
  bool refuse(std::size_t level, std::size_t sibling, std::size_t place, std::span<const std::uint32_t> lanes) {
    const CheckOrder& order = plan_.order_of(sibling);
    std::vector<std::uint64_t>& refused = result_.refused[sibling];
    const CheckOrder::Doomed& doomed = order.doomed[level][place];
    const bool settled = order.settled[place] <= static_cast<int>(level);
    if (!settled && !doomed.counted) return false;
    if (level < plan_.shares().level && share_ > 0) return true;  // the first share counts what all go through
    if (!settled) {
      Refusals::Known& known = refusals_.known(level, sibling, place);
      number_lanes(level, lanes, known.key);
      for (std::size_t i = 0; i < lanes.size(); ++i) {
        if (known.add(numbers_[i], refused)) continue;
        find_path_at(level, lanes[i], known.key.levels());
        refusals_.add(level, sibling, place, path_.data(), refused, diagnostics_);
      }
    } else if (level + 1 == lanes_.size()) {
      refused[place] += lanes.size();
    } else {
      number_lanes(level, lanes, prefixes_.counted(level));
      for (std::size_t i = 0; i < lanes.size(); ++i) {
        const std::uint64_t* known = prefixes_.known_behind(level, numbers_[i], sibling);
        if (known == nullptr) find_path_at(level, lanes[i], plan_.levels()[level].decide);
        refused[place] += known != nullptr ? *known : prefixes_.behind(static_cast<int>(level), path_.data(), sibling, diagnostics_);
      }
    }
    return true;
  }

  /// Numbers of the codes of some lanes.
  void number_lanes(std::size_t level, std::span<const std::uint32_t> lanes, CodeKey& key) {
    if (!key.direct()) {
      for (std::size_t i = 0; i < lanes.size(); ++i) {
        find_path_at(level, lanes[i], key.levels());
        numbers_[i] = key.number(path_.data());
      }
      return;
    }
    std::fill_n(numbers_.begin(), lanes.size(), 0);
    if (level > 0) pick(frame_.parents(level), lanes.data(), above_.data(), lanes.size());
    for (std::size_t k = 0; k < key.levels().size(); ++k) {
      const std::size_t of = key.levels()[k];
      if (of + 1 < level) pick(frame_.ancestors(level - 1, of), above_.data(), further_.data(), lanes.size());
      const std::uint32_t* const at = of == level ? lanes.data() : of + 1 == level ? above_.data() : further_.data();
      add_scaled(frame_.codes(of), at, key.stride(k), numbers_.data(), lanes.size());
    }
  }

  /// What is feasible, sibling by sibling; where no axis has several values, of a single lane.
  void keep(Lanes& lanes, std::size_t count) {
    for (std::size_t s = 0; s < siblings_; ++s) {
      const std::uint32_t* const own = lanes.plain ? nullptr : first(lanes, s);
      own_.select(count, [&](std::size_t i) { return own == nullptr || own[i] == kNone; });
      if (own_.count > 0) keep_sibling(s, count);
    }
  }

  /// A metric of a sibling's own lanes, one after the other. `count`: of all lanes.
  const double* metric(std::size_t sibling, std::size_t m, std::size_t count) {
    const std::size_t result = plan_.result(sibling, m);
    const double* const values = kernel_.result(frame_, result);
    if (values != nullptr && own_.size() == count) return values;
    if (values != nullptr)
      pick(values, own_.begin(), spread_.data(), own_.size());
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
      const std::uint32_t* const ranks = lanes_[l].ranks[at] + level.kinds.of[sibling] * (1 + level.follow.size());
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
  const std::size_t share_;
  const Plan& plan_;
  const LevelKernel& kernel_;
  LevelKernel::Frame frame_;
  const std::size_t siblings_;
  const std::vector<double> inputs_;  ///< Of the kernel.
  Prefixes prefixes_;
  Refusals refusals_;
  Lanes root_;                       ///< A single one, before any level.
  std::vector<Lanes> lanes_;         ///< By level.
  std::vector<std::uint32_t> path_;  ///< By level: codes of a prefix.
  std::array<std::uint32_t, kLanes> stays_{}, numbers_{}, above_{}, further_{};
  LaneList failing_, left_, own_;
  std::vector<std::uint32_t> by_axis_;
  std::array<double, lanes_for(kLanes)> spread_{};
  std::vector<double> points_;
  std::vector<std::size_t> follows_;  ///< Derived axes.
  std::size_t shared_ = 0;            ///< Lanes so far of the level of which each share has some.
  std::size_t once_ = 0;              ///< Of what is kept of an axis that stops, so many are each there once.
  PartResult result_;
};

PartRunner::PartRunner(Space& space, const FreeAxes& free, const Stops& stops, const SweepRequest& request)
    : space_(space), free_(free), stops_(stops), request_(request), assignment_(space, &stops) {}

PartRunner::~PartRunner() = default;

std::optional<PartResult> PartRunner::run(const Part& part, std::size_t share, Diagnostics& diagnostics) {
  assignment_.enter(*part.stretch, part.region);
  Levels levels(*this, part, share, diagnostics);
  if (!levels.run()) return std::nullopt;
  return levels.take();
}

}  // namespace opledger
