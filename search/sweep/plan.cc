#include "search/sweep/plan.h"

#include <algorithm>
#include <bit>

#include "search/sweep/level_order.h"

namespace opledger {
namespace {

// Doomed prefixes are counted by what decides their number where that takes few values, or many times fewer than there are prefixes: each value's candidates are
// looked at one by one, which takes some hundred times as long as a lane.
constexpr double kFewKeys = 64, kFewOfPrefixes = 64;

std::uint64_t level_bit(std::size_t level) { return std::uint64_t{1} << level; }

std::vector<Scalar> checks_of(const Trace& trace) {
  std::vector<Scalar> out;
  for (const Trace::Check& check : trace.checks) out.push_back(trace.results[check.result]);
  return out;
}

/// By axis: the free axes that decide its values, what derived ones in between depend on for these.
std::vector<AxisSet> deciding_axes(const PlanRequest& request) {
  const std::size_t count = request.space.axes.size();
  std::vector<AxisSet> out(count);
  for (std::size_t a = 0; a < count; ++a) {
    for (AxisSet rest = request.stops.reads(a); rest != 0; rest &= rest - 1) {
      const auto read = static_cast<std::size_t>(std::countr_zero(rest));
      out[a] |= request.space.axes[read].derived != nullptr ? out[read] : axis_bit(read);  // outermost first, so that of `read` is known
    }
  }
  return out;
}

/// By check, which of the samples pass it.
std::vector<std::uint64_t> passes_of(const StructureFacts& facts, const PlanRequest& request) {
  const std::size_t count = request.samples.candidates.size(), checks = facts.checks.size();
  std::vector<std::vector<double>> holds(checks, std::vector<double>(count));
  const FreeAxes::Columns in = request.free.columns(request.samples.candidates);
  std::vector<double*> out;
  for (auto& column : holds) out.push_back(column.data());
  facts.all_checks.run(in.pointers, out, count);
  std::vector<std::uint64_t> passes(checks);
  for (std::size_t c = 0; c < checks; ++c) {
    for (std::size_t i = 0; i < count; ++i) passes[c] |= static_cast<std::uint64_t>(holds[c][i] != 0 ? 1 : 0) << i;
  }
  return passes;
}

/// The levels of these axes, rising.
std::vector<std::size_t> levels_of(AxisSet axes, const std::vector<int>& level) {
  std::vector<std::size_t> out;
  for (; axes != 0; axes &= axes - 1) {
    const int of = level[static_cast<std::size_t>(std::countr_zero(axes))];
    if (of >= 0) out.push_back(static_cast<std::size_t>(of));
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

StructureFacts::StructureFacts(const Trace& trace, const FreeAxes& free)
    : depends(dependence(trace.tape, free)), checks(checks_of(trace)), all_checks(trace.tape, checks) {}

Plan::Plan(const Trace& trace, const StructureFacts& facts, std::size_t metrics, const PlanRequest& request) : tape_(&trace.tape), checks_(facts.checks) {
  const Space& space = request.space;
  const std::vector<Scalar>& checks = facts.checks;
  const std::vector<Scalar> results(trace.results.begin(), trace.results.begin() + static_cast<std::ptrdiff_t>(metrics));
  const std::vector<AxisSet> deciding = deciding_axes(request);
  PartShape shape;
  for (const std::size_t axis : request.free.axes) shape.axes |= axis_bit(axis);
  shape.axes &= ~request.fixed;
  for (const AxisSet axes : deciding) shape.behind.push_back(axes & shape.axes);
  shape.sizes = request.samples.sizes;
  shape.passes = passes_of(facts, request);
  shape.samples = request.samples.candidates.empty() ? 0 : ~std::uint64_t{0} >> (64 - request.samples.candidates.size());
  const LevelOrder order = level_order(trace.tape, checks, results, facts.depends, shape);

  std::vector<int> level(space.axes.size(), -1);
  std::vector<AxisSet> reads;  // by level
  for (const std::size_t axis : order.axes) {
    level[axis] = static_cast<int>(levels_.size());
    levels_.push_back({axis, {}, {}, {}, {}, request.all[axis]});
    reads.push_back(deciding[axis] | request.region.joined(axis_bit(axis)));
  }
  for (std::size_t a = 0; a < space.axes.size(); ++a) {
    if (level[a] >= 0) continue;
    const std::vector<std::size_t> before = levels_of(deciding[a], level);
    if (before.empty()) {
      follow_.push_back(a);
      continue;
    }
    levels_[before.back()].follow.push_back(a);
    reads[before.back()] |= deciding[a];
  }
  AxisSet later = 0;
  for (std::size_t l = levels_.size(); l-- > 0;) {
    AxisSet until = 0;
    for (std::size_t before = 0; before <= l; ++before) until |= axis_bit(levels_[before].axis);
    levels_[l].decide = levels_of(later & until, level);
    levels_[l].reads = levels_of(reads[l] & until & ~axis_bit(levels_[l].axis), level);
    later |= reads[l];
  }
  std::vector<std::uint64_t> read_by;  // by check: levels
  int settled = -1;
  for (std::size_t c = 0; c < checks.size(); ++c) {
    std::uint64_t& read = read_by.emplace_back();
    read_by_.push_back(levels_of(checks[c].constant() ? 0 : facts.depends[checks[c].symbol], level));
    for (const std::size_t l : read_by_.back()) read |= level_bit(l);
    const int known = static_cast<int>(std::bit_width(read)) - 1;
    if (known >= 0) levels_[static_cast<std::size_t>(known)].checks.push_back(c);
    settled = std::max(settled, known);
    settled_.push_back(settled);
  }
  find_doomed(read_by, order.prefixes);
  std::vector<LevelKernel::Level> of_kernel(levels_.size());
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    LevelKernel::Level& kernel = of_kernel[l];
    kernel.input = static_cast<std::size_t>(request.free.input_of[levels_[l].axis]);
    kernel.values = levels_[l].all != nullptr ? levels_[l].all->size() : 0;
    kernel.prefixes = order.prefixes[l];
    const auto need = [&](const std::vector<std::size_t>& all) {
      for (const std::size_t before : all) kernel.reads |= before < l ? level_bit(before) : 0;
    };
    if (l + 1 == levels_.size()) continue;
    need(levels_[l + 1].reads);
    need(levels_[l + 1].decide);
    for (const Doomed& doomed : doomed_[l + 1]) need(doomed.keys);
  }
  kernel_.emplace(trace.tape, checks, results, std::move(of_kernel));
}

void Plan::find_doomed(const std::vector<std::uint64_t>& reads, const std::vector<double>& prefixes) {
  doomed_.resize(levels_.size(), std::vector<Doomed>(reads.size()));
  for (std::size_t l = levels_.size(); l-- > 0;) {
    const std::uint64_t until = level_bit(l) | (level_bit(l) - 1);
    std::uint64_t pending = 0;  // levels that the checks so far read which aren't known yet
    bool any = false;
    for (const std::size_t d : levels_[l].decide) pending |= level_bit(d);
    for (std::size_t c = 0; c < reads.size(); ++c) {
      if ((reads[c] & ~until) != 0) {
        pending |= reads[c];
        any = true;
        continue;
      }
      if (!any) continue;
      double entries = 1;
      Doomed& doomed = doomed_[l][c];
      for (std::uint64_t rest = pending & until; rest != 0; rest &= rest - 1) {
        const auto key = static_cast<std::size_t>(std::countr_zero(rest));
        doomed.keys.push_back(key);
        entries *= levels_[key].all != nullptr ? static_cast<double>(levels_[key].all->size()) : prefixes[key];
      }
      const bool below = settled(c) <= static_cast<int>(l) + 1 || doomed_[l + 1][c].counted;  // what is counted there is counted again from there
      doomed.counted = below && entries <= std::max(kFewKeys, prefixes[l] / kFewOfPrefixes);
      if (!doomed.counted) doomed.keys.clear();
    }
  }
}

}  // namespace opledger
