#include "search/sweep/level_order.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <unordered_map>

namespace opledger {
namespace {

// What a lane takes, in instructions of one lane, about: a value fetched from another level, a prefix made.
constexpr double kFetch = 1.5, kPrefix = 12;
// A step of choosing takes as long as so many instructions of a lane; so much of evaluation's time is spent on it.
constexpr double kStep = 10, kShare = 0.02;

/// Instructions and values that depend on the same axes are counted together.
class CostModel {
 public:
  CostModel(const Tape& tape, std::span<const Scalar> checks, std::span<const Scalar> results, const std::vector<AxisSet>& depends, const GroupShape& shape)
      : shape_(shape) {
    const std::vector<bool> checked = tape.reached(checks);
    std::vector<Scalar> outputs(checks.begin(), checks.end());
    outputs.insert(outputs.end(), results.begin(), results.end());
    const std::vector<bool> live = tape.reached(outputs);
    std::unordered_map<AxisSet, Work> work;
    std::vector<std::pair<std::size_t, AxisSet>> reads;  // (value, who reads it elsewhere)
    for (std::size_t i = 0; i < live.size(); ++i) {
      const AxisSet own = depends[i] & shape.axes;
      if (!live[i] || own == 0) continue;
      const Tape::Instruction& from = tape.instructions()[i];
      if (from.kind != Tape::Instruction::Kind::input) {
        Work& same = work[own];
        same.reads = own;
        (checked[i] ? same.checked : same.others) += 1;
      }
      for (std::uint8_t k = 0; k < from.count; ++k) {
        if (from.args[k].constant()) continue;
        const auto arg = static_cast<std::size_t>(from.args[k].symbol);
        if ((depends[arg] & shape.axes) != 0 && (depends[arg] & shape.axes) != own) reads.emplace_back(arg, own);
      }
    }
    for (const auto& [_, one] : work) work_.push_back(one);
    std::sort(work_.begin(), work_.end(), [](const Work& a, const Work& b) { return a.reads < b.reads; });
    add_fetches(std::move(reads), depends);
    for (const Scalar& check : checks) checks_.push_back(check.constant() ? 0 : depends[check.symbol] & shape.axes);
    steps_ = static_cast<double>(work_.size());
    for (const auto& structure : shape.refused_by) steps_ += static_cast<double>(structure.size());
    for (const Fetch& fetch : fetches_) steps_ += static_cast<double>(fetch.readers.size());
  }

  /// Values with the same readers are counted together.
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

  /// Instructions that read an axis.
  double readers(std::size_t axis) const {
    double out = 0;
    for (const Work& work : work_) out += (work.reads & axis_bit(axis)) != 0 ? work.checked + work.others : 0;
    return out;
  }

  /// What it takes to compute one order's cost.
  double steps() const { return steps_ * kStep; }

  /// About how many prefixes each level has, checks before it having refused some; `left`: and its own.
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

  /// Once it is more than `most`, it may be any number above.
  double of(const std::vector<std::size_t>& order, double most = std::numeric_limits<double>::infinity()) {
    const std::vector<double> prefixes = this->prefixes(order, left_);
    double out = 0;
    for (const double count : prefixes) out += count * kPrefix;
    for (const Work& work : work_) {
      if (out > most) return out;
      const std::size_t level = last(work.reads);
      out += prefixes[level] * work.checked + left_[level] * work.others;
    }
    for (const Fetch& fetch : fetches_) {
      if (out > most) return out;
      std::uint64_t levels = 0;
      for (const AxisSet reads : fetch.readers) levels |= std::uint64_t{1} << last(reads);
      levels &= ~(std::uint64_t{1} << last(fetch.value));
      for (; levels != 0; levels &= levels - 1) out += fetch.count * kFetch * prefixes[static_cast<std::size_t>(std::countr_zero(levels))];
    }
    return out;
  }

 private:
  struct Work {
    AxisSet reads = 0;
    double checked = 0, others = 0;  ///< Instructions that checks need, and others.
  };
  struct Fetch {
    AxisSet value = 0;
    std::vector<AxisSet> readers;
    double count = 0;
  };

  /// By level, and before any: samples that a check has not refused so far, for some structure.
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

  std::size_t last(AxisSet axes) const {
    std::size_t out = 0;
    for (; axes != 0; axes &= axes - 1) out = std::max(out, level_of_[static_cast<std::size_t>(std::countr_zero(axes))]);
    return out;
  }

  const GroupShape& shape_;
  std::vector<Work> work_;
  std::vector<Fetch> fetches_;
  std::vector<AxisSet> checks_;
  std::size_t level_of_[kMaxSpaceAxes] = {};
  std::vector<double> left_;
  double steps_ = 0;
};

/// What most instructions read first.
std::vector<std::size_t> first_order(const CostModel& costs, const GroupShape& shape) {
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

bool possible(const std::vector<std::size_t>& order, const GroupShape& shape) {
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
  CostModel costs(tape, checks, results, depends, shape);
  LevelOrder out;
  out.axes = first_order(costs, shape);
  double cost = costs.of(out.axes), spent = costs.steps();
  for (bool better = true; better;) {
    better = false;
    for (std::size_t from = 0; from < out.axes.size(); ++from) {
      for (std::size_t to = 0; to < out.axes.size() && spent < cost * kShare; ++to) {
        std::vector<std::size_t> other = out.axes;
        other.erase(other.begin() + static_cast<std::ptrdiff_t>(from));
        other.insert(other.begin() + static_cast<std::ptrdiff_t>(to), out.axes[from]);
        if (to == from || !possible(other, shape)) continue;
        const double c = costs.of(other, cost);
        spent += costs.steps();
        if (c >= cost) continue;
        cost = c;
        out.axes = std::move(other);
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
