#include "search/sweep/plan.h"

#include <algorithm>
#include <bit>

namespace opledger {
namespace {

// Least cost of a share, in instructions of one lane, and the largest number of shares of a group.
constexpr double kMinShareCost = 3e7, kMaxShares = 64;

std::uint64_t level_bit(std::size_t level) { return std::uint64_t{1} << level; }

std::uint64_t level_set(const std::vector<std::size_t>& levels) {
  std::uint64_t out = 0;
  for (const std::size_t level : levels) out |= level_bit(level);
  return out;
}

}  // namespace

Plan::Plan(const std::vector<Variant>& variants, std::size_t metrics, const PlanRequest& request) : metrics_(metrics) {
  // Values of fixed axes may differ between variants, but not within a variant: only the other axes make an
  // instruction depend on levels. The steps below use each other's results, in this order.
  merge_tapes(variants, request);
  std::vector<AxisSet> of_input;
  for (std::size_t i = 0; i < inputs_.size(); ++i) of_input.push_back(i < request.free.axes.size() ? axis_bit(inputs_[i].axis) : 0);
  const std::vector<AxisSet> depends = dependence(tape_, of_input);
  const LevelOrder order = this->order(variants, depends, request);
  add_levels(order, request);
  add_kinds(variants, request);
  place_checks(depends, order);
  make_kernel(order, request);
  find_shares(order);
}

/// Merges the tapes of all variants into `tape_`. A tape is a program without branches; it interns instructions, so
/// common subexpressions of several variants become one instruction. Inputs of the merged tape: an axis that is not
/// fixed is one input for all variants; a fixed axis has one value in each variant, and is one input for each distinct
/// value. The first inputs are the free axes in order, with the fixed values of the first variant. `results_` has the
/// metrics by variant, then metric; checks are merged by `add_checks`.
void Plan::merge_tapes(const std::vector<Variant>& variants, const PlanRequest& request) {
  std::vector<Scalar> symbols;
  const auto add_input = [&](std::size_t axis, std::size_t variant) {
    inputs_.push_back({axis, variant});
    symbols.push_back(tape_.input(request.space.axes[axis].input->name, variants[variant].values[axis], false));
  };
  for (const std::size_t axis : request.free.axes) add_input(axis, 0);
  CheckIndex known;
  for (std::size_t s = 0; s < variants.size(); ++s) {
    std::vector<Scalar> inputs;
    for (const std::size_t axis : request.free.axes) {
      const bool fixed = (request.fixed & axis_bit(axis)) != 0;
      const auto own = std::find_if(inputs_.begin(), inputs_.end(), [&](const Input& input) {
        return input.axis == axis && (!fixed || variants[input.variant].values[axis] == variants[s].values[axis]);
      });
      const auto at = static_cast<std::size_t>(own - inputs_.begin());
      if (own == inputs_.end()) add_input(axis, s);
      inputs.push_back(symbols[at]);
    }
    const Trace& trace = variants[s].trace->trace;
    std::vector<Scalar> outputs(trace.results.begin(), trace.results.begin() + static_cast<std::ptrdiff_t>(metrics_));
    for (const Trace::Check& check : trace.checks) outputs.push_back(trace.results[check.result]);
    const std::vector<Scalar> taken = tape_.append(trace.tape, outputs, inputs);
    results_.insert(results_.end(), taken.begin(), taken.begin() + static_cast<std::ptrdiff_t>(metrics_));
    add_checks(s, std::span(taken).subspan(metrics_), known);
  }
}

/// Adds the checks of a variant, given as scalars of the merged tape. Checks with the same symbol, or the same constant
/// value, are one check for several variants and are evaluated once; `known` finds them. A variant has its checks in an
/// order of its own (`checks_of_`), because the first check that fails gives the reason. `places` has the position of a
/// check in the order of each variant; for a repeated check, the first position.
void Plan::add_checks(std::size_t variant, std::span<const Scalar> checks, CheckIndex& known) {
  std::vector<std::size_t>& own = checks_of_.emplace_back();
  for (const Scalar& check : checks) {
    const std::uint64_t value = check.constant() ? std::bit_cast<std::uint64_t>(check.value) : 0;
    const auto [place, fresh] = known.try_emplace({check.symbol, value}, scalars_.size());
    const std::size_t c = place->second;
    if (fresh) {
      scalars_.push_back(check);
      checks_.emplace_back();
    }
    checks_[c].places.resize(variant + 1);
    if ((checks_[c].variants & variant_bit(variant)) == 0) checks_[c].places[variant] = own.size();
    checks_[c].variants |= variant_bit(variant);
    own.push_back(c);
  }
}

std::vector<double> Plan::inputs(const std::vector<Variant>& variants) const {
  std::vector<double> out;
  for (const Input& input : inputs_) out.push_back(variants[input.variant].values[input.axis]);
  return out;
}

/// Evaluates all checks for the samples of the first variant, at most 64 random candidates. Returns for each check the
/// mask of samples that pass. Inputs of the merged tape are the free axes, then further values of fixed axes; the
/// latter are equal in all samples, so their columns are constant. Checks of another variant combine the samples with
/// the fixed values of that variant.
std::vector<std::uint64_t> Plan::passes(const std::vector<Variant>& variants, const PlanRequest& request) const {
  const std::size_t count = request.samples.candidates.size(), checks = scalars_.size();
  FreeAxes::Columns in = request.free.columns(request.samples.candidates);
  const std::vector<double> values = inputs(variants);
  std::vector<std::vector<double>> further, holds(checks, std::vector<double>(count));
  for (std::size_t i = in.values.size(); i < values.size(); ++i) further.emplace_back(count, values[i]);
  for (const auto& column : further) in.pointers.push_back(column.data());
  std::vector<double*> out;
  for (auto& column : holds) out.push_back(column.data());
  Kernel(tape_, scalars_).run(in.pointers, out, count);
  std::vector<std::uint64_t> passes(checks);
  for (std::size_t c = 0; c < checks; ++c) {
    for (std::size_t i = 0; i < count; ++i) passes[c] |= static_cast<std::uint64_t>(holds[c][i] != 0 ? 1 : 0) << i;
  }
  return passes;
}

/// Orders the axes that are not fixed, by the statistics of the samples.
LevelOrder Plan::order(const std::vector<Variant>& variants, const std::vector<AxisSet>& depends, const PlanRequest& request) const {
  GroupShape shape;
  for (const std::size_t axis : request.free.axes) shape.axes |= axis_bit(axis);
  shape.axes &= ~request.fixed;
  for (const AxisSet axes : request.deciding) shape.predecessors.push_back(axes & shape.axes);
  shape.sizes = request.samples.sizes;
  shape.passes = passes(variants, request);
  shape.samples = request.samples.candidates.empty() ? 0 : ~std::uint64_t{0} >> (64 - request.samples.candidates.size());
  shape.refused_by = checks_of_;
  return level_order(tape_, scalars_, results_, depends, shape);
}

/// Returns the levels of axes, ascending; axes without a level are left out.
std::vector<std::size_t> Plan::levels_of(AxisSet axes) const {
  std::vector<std::size_t> out;
  for (; axes != 0; axes &= axes - 1) {
    const int of = level_of_[static_cast<std::size_t>(std::countr_zero(axes))];
    if (of >= 0) out.push_back(static_cast<std::size_t>(of));
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// Makes a level, a loop over the values of one axis, for each ordered axis. Axes without a level (derived or fixed)
/// become dependents of the last level that decides their value, or are known before any level. The choices at a level
/// depend on the axes that decide its domain or its dependents. They also depend on every axis that shares a filter of
/// the region with the level's axis. `domain_levels` are the levels of these axes, as far as they come before; choices
/// are memoized by them. `size_levels` decide the number of candidates below a prefix: every level so far that a deeper
/// level reads. A pass from the innermost level out collects them in `later`.
void Plan::add_levels(const LevelOrder& order, const PlanRequest& request) {
  const std::vector<AxisSet>& deciding = request.deciding;
  level_of_.assign(request.space.axes.size(), -1);
  std::vector<AxisSet> reads;  // axes that decide the values of each level and of its dependents
  for (const std::size_t axis : order.axes) {
    level_of_[axis] = static_cast<int>(levels_.size());
    levels_.push_back({axis, {}, {}, {}, {}, request.all[axis], {}});
    reads.push_back(deciding[axis] | request.region.joined(axis_bit(axis)));
  }
  for (std::size_t a = 0; a < level_of_.size(); ++a) {
    if (level_of_[a] >= 0) continue;
    const std::vector<std::size_t> before = levels_of(deciding[a]);
    if (before.empty()) {
      dependents_.push_back(a);
      continue;
    }
    levels_[before.back()].dependents.push_back(a);
    reads[before.back()] |= deciding[a];
  }
  AxisSet later = 0;
  for (std::size_t l = levels_.size(); l-- > 0;) {
    AxisSet until = 0;
    for (std::size_t before = 0; before <= l; ++before) until |= axis_bit(levels_[before].axis);
    levels_[l].size_levels = levels_of(later & until);
    levels_[l].domain_levels = levels_of(reads[l] & until & ~axis_bit(levels_[l].axis));
    later |= reads[l];
  }
}

/// Groups variants by kind, before any level and at each level. Variants of a kind have the same choices so far. Kinds
/// compare the values of the fixed axes among the dependents of the levels so far, and of the fixed axes that decide
/// these dependents. Kinds get finer from level to level.
void Plan::add_kinds(const std::vector<Variant>& variants, const PlanRequest& request) {
  AxisSet relevant = 0;
  const auto after = [&](const std::vector<std::size_t>& dependents) {
    for (const std::size_t axis : dependents) relevant |= axis_bit(axis) | request.deciding[axis];
    return kinds_by(variants, relevant & request.fixed);
  };
  kinds_ = after(dependents_);
  for (Level& level : levels_) level.kinds = after(level.dependents);
}

/// Places each check on the last level that it reads, where its inputs are known. `depends` has the axes that each
/// instruction reads. A check without levels reads fixed axes only and is tested before any level. Then the decisions
/// about pruning are made (`CheckOrder`), from the levels that the checks read and from estimated numbers of prefixes.
/// Variants whose checks read the same levels in the same order share one CheckOrder; the masks of levels are its key.
void Plan::place_checks(const std::vector<AxisSet>& depends, const LevelOrder& order) {
  std::vector<std::uint64_t> reads;  // levels that each check reads, as masks
  for (std::size_t c = 0; c < checks_.size(); ++c) {
    checks_[c].reads = levels_of(scalars_[c].constant() ? 0 : depends[static_cast<std::size_t>(scalars_[c].symbol)]);
    reads.push_back(level_set(checks_[c].reads));
    if (!checks_[c].reads.empty()) levels_[checks_[c].reads.back()].checks.push_back(c);
  }
  std::vector<CheckLevel> levels;
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const double codes = levels_[l].all != nullptr ? static_cast<double>(levels_[l].all->size()) : order.prefixes[l];
    levels.push_back({level_set(levels_[l].size_levels), codes, order.prefixes[l]});
  }
  std::map<std::vector<std::uint64_t>, std::size_t> known;
  for (const std::vector<std::size_t>& own : checks_of_) {
    std::vector<std::uint64_t> key;
    for (const std::size_t c : own) key.push_back(reads[c]);
    const auto [found, fresh] = known.try_emplace(key, orders_.size());
    if (fresh) orders_.emplace_back(key, levels);
    order_of_.push_back(found->second);
  }
}

/// Divides a large group into shares for several threads. The number of shares is the estimated cost over
/// kMinShareCost, at most kMaxShares. The plan is divided at the outermost level with at least as many prefixes,
/// because every share repeats the levels before it. A plan worth less than two shares, or without such a level, stays
/// whole.
void Plan::find_shares(const LevelOrder& order) {
  const double share_count = std::min(order.cost / kMinShareCost, kMaxShares);
  const auto level = std::find_if(order.prefixes.begin(), order.prefixes.end(), [&](double prefixes) { return prefixes >= share_count; });
  if (share_count >= 2 && level != order.prefixes.end())
    shares_ = {static_cast<std::size_t>(share_count), static_cast<std::size_t>(level - order.prefixes.begin())};
}

/// Compiles the kernel, which evaluates the merged tape level by level. A level assigns one input: the free axis of the
/// level. Each level lists the earlier levels whose codes the next level looks up through its parents: for the keys of
/// choices, of subtree sizes, and of pending prunes. The kernel then tracks the ancestors of its lanes on these levels
/// only.
void Plan::make_kernel(const LevelOrder& order, const PlanRequest& request) {
  std::vector<LevelKernel::Level> levels(levels_.size());
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    LevelKernel::Level& level = levels[l];
    level.input = input_of_.emplace_back(static_cast<std::size_t>(request.free.input_of[levels_[l].axis]));
    level.values = levels_[l].all != nullptr ? levels_[l].all->size() : 0;
    level.prefixes = order.prefixes[l];
    if (l + 1 == levels_.size()) continue;
    std::uint64_t needed = level_set(levels_[l + 1].domain_levels) | level_set(levels_[l + 1].size_levels);
    for (const CheckOrder& checks : orders_) {
      for (const CheckOrder::PendingPrune& prune : checks.pending_prunes[l + 1]) needed |= level_set(prune.keys);
    }
    level.reads = needed & (level_bit(l) - 1);
  }
  kernel_.emplace(tape_, scalars_, results_, std::move(levels));
}

}  // namespace opledger
