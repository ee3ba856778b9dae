#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "expr/level_kernel.h"
#include "search/space/stops.h"
#include "search/sweep/check_order.h"
#include "search/sweep/level_order.h"
#include "search/sweep/variants.h"

/// How the candidates of some structures are evaluated together: in which order their axes get values, what is computed where, and when it is known that a
/// check refuses them. What the structures have in common is computed once.
namespace opledger {

/// Some candidates, at random.
struct GroupSamples {
  std::vector<double> sizes;                    ///< By axis: about how many values it has that the others leave.
  std::vector<std::vector<double>> candidates;  ///< By axis.
};

/// What a plan is made for.
struct PlanRequest {
  const Space& space;
  const FreeAxes& free;
  std::vector<AxisSet> deciding;                       ///< By axis: the free axes that decide its values.
  AxisSet fixed = 0;                                   ///< Axes that have one value in each variant.
  Region region;                                       ///< Of a group: others have filters on the same axes.
  const std::vector<const std::vector<double>*>& all;  ///< By axis: all its values in the space, rising; null: not known.
  GroupSamples samples;                                ///< Of the first variant.
};

class Plan {
 public:
  /// An axis, and those of a single value that can be known once it is.
  struct Level {
    std::size_t axis = 0;
    std::vector<std::size_t> dependents;       ///< In the order of the space: derived axes, and fixed ones that not every prefix admits.
    std::vector<std::size_t> domain_levels;    ///< Levels before that decide which values it has.
    std::vector<std::size_t> size_levels;      ///< Levels up to here that decide how many candidates there are behind it.
    std::vector<std::size_t> checks;           ///< That are known here.
    const std::vector<double>* all = nullptr;  ///< Its values in the space, by code; null: not known.
    VariantKinds kinds;                        ///< By what follows up to here.
  };
  /// A check that some variants have in common.
  struct Check {
    VariantSet variants = 0;
    std::vector<std::size_t> places;  ///< By variant: its place among the checks of those that have it.
    std::vector<std::size_t> reads;   ///< Levels that decide it, rising.
  };

  /// `metrics`: so many results of the traces, the first, are wanted.
  Plan(const std::vector<Variant>& variants, std::size_t metrics, const PlanRequest& request);

  const std::vector<Level>& levels() const { return levels_; }
  const std::vector<std::size_t>& dependents() const { return dependents_; }                                 ///< What can be known before any level.
  const VariantKinds& kinds() const { return kinds_; }                                                       ///< By what follows before any level.
  const LevelKernel& kernel() const { return *kernel_; }                                                     ///< Its checks are those here.
  std::size_t result(std::size_t variant, std::size_t metric) const { return variant * metrics_ + metric; }  ///< Of the kernel.
  const std::vector<Check>& checks() const { return checks_; }
  std::size_t variants() const { return checks_of_.size(); }
  /// In the order in which a variant's are made.
  const std::vector<std::size_t>& checks_of(std::size_t variant) const { return checks_of_[variant]; }
  const CheckOrder& order_of(std::size_t variant) const { return orders_[order_of_[variant]]; }

  /// A group can be evaluated in so many shares, each of some prefixes of a level.
  struct Shares {
    std::size_t count = 1, level = 0;
  };
  const Shares& shares() const { return shares_; }

  /// The kernel's input that a level gives its value.
  std::size_t input_of(std::size_t level) const { return input_of_[level]; }
  /// What the kernel's inputs are for these variants; of levels any.
  std::vector<double> inputs(const std::vector<Variant>& variants) const;
  /// A check by itself, of the kernel's inputs.
  Kernel check_kernel(std::size_t check) const { return Kernel(tape_, std::span(&scalars_[check], 1)); }

 private:
  using CheckIndex = std::map<std::pair<std::int32_t, std::uint64_t>, std::size_t>;  ///< By symbol, or value.

  void merge_tapes(const std::vector<Variant>& variants, const PlanRequest& request);
  void add_checks(std::size_t variant, std::span<const Scalar> checks, CheckIndex& known);
  std::vector<std::uint64_t> passes(const std::vector<Variant>& variants, const PlanRequest& request) const;
  LevelOrder order(const std::vector<Variant>& variants, const std::vector<AxisSet>& depends, const PlanRequest& request) const;
  void add_levels(const LevelOrder& order, const PlanRequest& request);
  void add_kinds(const std::vector<Variant>& variants, const PlanRequest& request);
  void place_checks(const std::vector<AxisSet>& depends, const LevelOrder& order);
  void find_shares(const LevelOrder& order);
  void make_kernel(const LevelOrder& order, const PlanRequest& request);
  std::vector<std::size_t> levels_of(AxisSet axes) const;

  /// A free axis, and a variant that has its value.
  struct Input {
    std::size_t axis = 0, variant = 0;
  };

  const std::size_t metrics_;
  Tape tape_;
  std::vector<Input> inputs_;              ///< Of the tape: first the free axes.
  std::vector<Scalar> scalars_, results_;  ///< By check; of the kernel.
  std::vector<Level> levels_;
  std::vector<int> level_of_;          ///< By axis; -1: none.
  std::vector<std::size_t> input_of_;  ///< By level.
  std::vector<std::size_t> dependents_;
  VariantKinds kinds_;
  std::vector<Check> checks_;
  std::vector<std::vector<std::size_t>> checks_of_;
  std::vector<CheckOrder> orders_;
  std::vector<std::size_t> order_of_;  ///< By variant.
  std::optional<LevelKernel> kernel_;
  Shares shares_;
};

/// A plan that the first thread that needs it makes.
class LazyPlan {
 public:
  LazyPlan(std::vector<Variant> variants, std::size_t metrics, PlanRequest request) : arguments_(Arguments{std::move(variants), metrics, std::move(request)}) {}

  const Plan& get() {
    std::call_once(once_, [this] {
      plan_.emplace(arguments_->variants, arguments_->metrics, arguments_->request);
      arguments_.reset();
    });
    return *plan_;
  }

 private:
  struct Arguments {
    std::vector<Variant> variants;
    std::size_t metrics;
    PlanRequest request;
  };
  std::optional<Arguments> arguments_;  ///< The arguments of the plan; empty once the plan is made.
  std::once_flag once_;
  std::optional<Plan> plan_;
};

}  // namespace opledger
