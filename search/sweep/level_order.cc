#include "search/sweep/level_order.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <unordered_map>

namespace opledger {
namespace {

// Estimated costs in instructions of one lane: fetching a value from another level; creating a prefix.
constexpr double kFetch = 1.5, kPrefix = 12;
// Estimated cost of one step of the search for an order, in instructions of one lane; largest share of evaluation time
// for the search.
constexpr double kStep = 10, kShare = 0.02;

/// A cost model of evaluation under an order. Instructions with the same axes share a level under every order, so they
/// are counted together. The time of one estimate grows with the number of distinct axis sets, of checks, and of readers
/// of values.
class CostModel {
 public:
  /// Counts the work of the tape by sets of axes. Instructions without an effect on a check or a result are skipped,
  /// and so are instructions without an axis to order, because they are computed once. `work_` has the numbers of
  /// instructions for each set of axes, `fetches_` the values that instructions with other axes read, `checks_` the
  /// axes of each check. `steps_` is the number of entries that one call of `cost_of` visits.
  CostModel(const Tape& tape, std::span<const Scalar> checks, std::span<const Scalar> results, const std::vector<AxisSet>& depends, const GroupShape& shape)
      : shape_(shape) {
    const std::vector<bool> checked = tape.reached(checks);
    std::vector<Scalar> outputs(checks.begin(), checks.end());
    outputs.insert(outputs.end(), results.begin(), results.end());
    const std::vector<bool> live = tape.reached(outputs);
    std::unordered_map<AxisSet, AxisWork> work;
    std::vector<std::pair<std::size_t, AxisSet>> reads;  // pairs of a value and the axes of a reader
    for (std::size_t i = 0; i < live.size(); ++i) {
      const AxisSet own = depends[i] & shape.axes;
      if (!live[i] || own == 0) continue;
      const Tape::Instruction& from = tape.instructions()[i];
      if (from.kind != Tape::Instruction::Kind::input) {
        AxisWork& same = work[own];
        same.reads = own;
        (checked[i] ? same.checked : same.unchecked) += 1;
      }
      for (std::uint8_t k = 0; k < from.count; ++k) {
        if (from.args[k].constant()) continue;
        const auto arg = static_cast<std::size_t>(from.args[k].symbol);
        if ((depends[arg] & shape.axes) != 0 && (depends[arg] & shape.axes) != own) reads.emplace_back(arg, own);
      }
    }
    for (const auto& [_, one] : work) work_.push_back(one);
    std::sort(work_.begin(), work_.end(), [](const AxisWork& a, const AxisWork& b) { return a.reads < b.reads; });
    add_fetches(std::move(reads), depends);
    for (const Scalar& check : checks) checks_.push_back(check.constant() ? 0 : depends[check.symbol] & shape.axes);
    steps_ = static_cast<double>(work_.size());
    for (const auto& checks_of_variant : shape.refused_by) steps_ += static_cast<double>(checks_of_variant.size());
    for (const Fetch& fetch : fetches_) steps_ += static_cast<double>(fetch.readers.size());
  }

  /// Groups the values that are fetched from another level, because `cost_of` visits each group once. A value belongs
  /// to the level of the last axis that it depends on. A reader with other axes may be on another level, and then
  /// fetches the value once for each prefix (combination of values of the axes so far) of the reader's level. `reads`
  /// has pairs of a value (its instruction) and the axes of a reader. Sorting brings the readers of a value together.
  /// Values with the same axes and the same readers cost the same under every order; a hash table finds them, and their
  /// number is counted.
  void add_fetches(std::vector<std::pair<std::size_t, AxisSet>> reads, const std::vector<AxisSet>& depends) {
    std::sort(reads.begin(), reads.end());
    reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
    std::unordered_multimap<std::uint64_t, std::size_t> known;
    for (auto from = reads.begin(); from != reads.end();) {
      Fetch fetch{depends[from->first] & shape_.axes, {}, 1};
      std::uint64_t hash = fetch.value;
      auto to = from;
      for (; to != reads.end() && to->first == from->first; ++to) {
        fetch.readers.push_back(to->second);
        hash = (hash ^ (hash >> 29) ^ to->second) * 0xBF58476D1CE4E5B9u;
      }
      from = to;
      const auto [first, last] = known.equal_range(hash);
      const auto same = std::find_if(
          first, last, [&](const auto& entry) { return fetches_[entry.second].value == fetch.value && fetches_[entry.second].readers == fetch.readers; });
      if (same != last) {
        fetches_[same->second].count += 1;
        continue;
      }
      known.emplace(hash, fetches_.size());
      fetches_.push_back(std::move(fetch));
    }
  }

  /// Returns the number of instructions, inputs left out, that depend on an axis.
  double readers(std::size_t axis) const {
    double out = 0;
    for (const AxisWork& work : work_) out += (work.reads & axis_bit(axis)) != 0 ? work.checked + work.unchecked : 0;
    return out;
  }

  /// Returns the cost of evaluating this model for one order, in instructions of one lane.
  double steps() const { return steps_ * kStep; }

  /// Estimates the number of prefixes of each level: combinations of values of its axis and of all axes before. The
  /// estimate is the product of the axis sizes, times the share of samples that pass all checks of some variant on
  /// earlier levels. `left` receives the number after the checks of the level itself. A share of 0 counts as half a
  /// sample, because few samples can't show a small share. Also sets `level_of_`, the level of each axis under this
  /// order.
  std::vector<double> prefixes(const std::vector<std::size_t>& order, std::vector<double>& left) {
    for (std::size_t l = 0; l < order.size(); ++l) level_of_[order[l]] = l;
    const std::vector<std::uint64_t> alive = alive_after(order.size());
    std::vector<double> out(order.size());
    left.resize(order.size());
    double all = 1;
    const double samples = std::max(1, std::popcount(shape_.samples));
    for (std::size_t l = 0; l < order.size(); ++l) {
      all *= std::max(1.0, shape_.sizes[order[l]]);
      const auto part = [&](std::uint64_t bits) { return std::max(std::popcount(bits) / samples, 0.5 / samples); };
      out[l] = std::max(1.0, all * part(alive[l]));
      left[l] = std::max(1.0, all * part(alive[l + 1]));
    }
    return out;
  }

  /// Returns the estimated cost of evaluating all candidates under an order, in instructions of one lane. Three costs
  /// are added: creating prefixes; instructions, each once per prefix of the last level among its axes; fetching values
  /// of earlier levels. Instructions that checks need run for all prefixes of their level, the other ones only for
  /// prefixes that pass the level's checks. Above `limit` the sum stops early, and any number above `limit` may result.
  double cost_of(const std::vector<std::size_t>& order, double limit = std::numeric_limits<double>::infinity()) {
    const std::vector<double> prefixes = this->prefixes(order, left_);
    double out = 0;
    for (const double count : prefixes) out += count * kPrefix;
    for (const AxisWork& work : work_) {
      if (out > limit) return out;
      const std::size_t level = last(work.reads);
      out += prefixes[level] * work.checked + left_[level] * work.unchecked;
    }
    for (const Fetch& fetch : fetches_) {
      if (out > limit) return out;
      std::uint64_t levels = 0;
      for (const AxisSet reads : fetch.readers) levels |= std::uint64_t{1} << last(reads);
      levels &= ~(std::uint64_t{1} << last(fetch.value));
      for (; levels != 0; levels &= levels - 1) out += fetch.count * kFetch * prefixes[static_cast<std::size_t>(std::countr_zero(levels))];
    }
    return out;
  }

 private:
  /// The instructions that depend on the same set of axes.
  struct AxisWork {
    AxisSet reads = 0;
    double checked = 0, unchecked = 0;  ///< Number of instructions that checks need, and of the rest.
  };
  /// Values that depend on the same axes and are read by instructions with the same sets of axes.
  struct Fetch {
    AxisSet value = 0;             ///< Axes on which the values depend.
    std::vector<AxisSet> readers;  ///< Axes of each kind of reader, ascending.
    double count = 0;              ///< Number of values.
  };

  /// Returns masks of the samples that pass the checks of at least one variant. Entry 0 holds before any level, entry l
  /// + 1 after level l. A check counts from the last level that it reads. A variant's mask is the intersection over its
  /// checks so far, and the result is the union over variants.
  std::vector<std::uint64_t> alive_after(std::size_t levels) const {
    std::vector<std::uint64_t> out(levels + 1), own(levels + 1);
    for (const std::vector<std::size_t>& checks : shape_.refused_by) {
      std::fill(own.begin(), own.end(), shape_.samples);
      for (const std::size_t c : checks) own[checks_[c] == 0 ? 0 : last(checks_[c]) + 1] &= shape_.passes[c];
      for (std::size_t l = 0; l <= levels; ++l) {
        if (l > 0) own[l] &= own[l - 1];
        out[l] |= own[l];
      }
    }
    return out;
  }

  /// Returns the last level among the levels of `axes`; 0 if the set is empty.
  std::size_t last(AxisSet axes) const {
    std::size_t out = 0;
    for (; axes != 0; axes &= axes - 1) out = std::max(out, level_of_[static_cast<std::size_t>(std::countr_zero(axes))]);
    return out;
  }

  const GroupShape& shape_;
  std::vector<AxisWork> work_;
  std::vector<Fetch> fetches_;
  std::vector<AxisSet> checks_;               ///< Axes of each check.
  std::size_t level_of_[kMaxSpaceAxes] = {};  ///< Level of each axis under the order in question.
  std::vector<double> left_;                  ///< Scratch of `cost_of`.
  double steps_ = 0;                          ///< Number of entries that one call of `cost_of` visits.
};

/// Returns a greedy order: among the axes whose predecessors are placed, the axis with the most readers comes next.
std::vector<std::size_t> greedy_order(const CostModel& costs, const GroupShape& shape) {
  std::vector<std::size_t> out;
  std::vector<double> readers(shape.sizes.size());
  for (std::size_t a = 0; a < readers.size(); ++a) readers[a] = costs.readers(a);
  for (AxisSet left = shape.axes; left != 0;) {
    std::size_t best = kMaxSpaceAxes;
    for (AxisSet rest = left; rest != 0; rest &= rest - 1) {
      const auto axis = static_cast<std::size_t>(std::countr_zero(rest));
      if ((shape.predecessors[axis] & left) == 0 && (best == kMaxSpaceAxes || readers[axis] > readers[best])) best = axis;
    }
    out.push_back(best);
    left &= ~axis_bit(best);
  }
  return out;
}

/// Returns whether every axis comes after its predecessors.
bool is_valid(const std::vector<std::size_t>& order, const GroupShape& shape) {
  AxisSet known = 0;
  for (const std::size_t axis : order) {
    if ((shape.predecessors[axis] & ~known) != 0) return false;
    known |= axis_bit(axis);
  }
  return true;
}

}  // namespace

LevelOrder level_order(const Tape& tape, std::span<const Scalar> checks, std::span<const Scalar> results, const std::vector<AxisSet>& depends,
                       const GroupShape& shape) {
  // Local search (hill climbing) from a greedy order. A move takes one axis to another position, if every axis still
  // comes after the axes that decide its values. An improvement is accepted at once. The search ends when no move
  // improves the order, or when its own cost `spent` exceeds kShare of the estimated evaluation. A candidate order is
  // abandoned once its cost exceeds the best. The result has the order, the estimated number of prefixes of each level,
  // and the cost.
  CostModel costs(tape, checks, results, depends, shape);
  LevelOrder out;
  out.axes = greedy_order(costs, shape);
  double cost = costs.cost_of(out.axes), spent = costs.steps();
  for (bool better = true; better;) {
    better = false;
    for (std::size_t from = 0; from < out.axes.size(); ++from) {
      for (std::size_t to = 0; to < out.axes.size() && spent < cost * kShare; ++to) {
        std::vector<std::size_t> moved = out.axes;
        moved.erase(moved.begin() + static_cast<std::ptrdiff_t>(from));
        moved.insert(moved.begin() + static_cast<std::ptrdiff_t>(to), out.axes[from]);
        if (to == from || !is_valid(moved, shape)) continue;
        const double moved_cost = costs.cost_of(moved, cost);
        spent += costs.steps();
        if (moved_cost >= cost) continue;
        cost = moved_cost;
        out.axes = std::move(moved);
        better = true;
      }
    }
  }
  std::vector<double> left;
  out.prefixes = costs.prefixes(out.axes, left);
  out.cost = cost;
  return out;
}

}  // namespace opledger
