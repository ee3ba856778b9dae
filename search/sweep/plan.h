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

/// A plan for the joint evaluation of several variants, like a query plan. It orders the axes as nested loops and
/// merges the tapes of all variants. Every instruction and check is placed on the outermost level that knows its
/// inputs. Equal instructions of several variants are computed once.
namespace opledger {

/// Random candidates, from which selectivities are estimated.
struct GroupSamples {
  std::vector<double> sizes;                    ///< Mean number of admitted values of each axis along random walks, which assign one axis after the other.
  std::vector<std::vector<double>> candidates;  ///< Up to 64 candidates, one value per axis.
};

/// The arguments of a plan. Axes are positions in the space; a fixed axis has one value in each variant.
struct PlanRequest {
  const Space& space;
  const FreeAxes& free;
  std::vector<AxisSet> deciding;                       ///< Free axes that decide the values of an axis, by axis.
  AxisSet fixed = 0;                                   ///< Axes with one value in each variant.
  Region region;                                       ///< Region of one group; other groups of the plan have filters on the same axes.
  const std::vector<const std::vector<double>*>& all;  ///< All values of an axis in the space, ascending, by axis; null if unknown.
  GroupSamples samples;                                ///< Samples of the first variant.
};

/// An immutable plan; threads share it.
class Plan {
 public:
  /// A loop over the values of one axis. Dependents get their single value in the same level.
  struct Level {
    std::size_t axis = 0;                      ///< The axis whose values the level chooses.
    std::vector<std::size_t> dependents;       ///< Axes without a level that become known here: derived axes, and fixed axes whose domain depends on levels.
    std::vector<std::size_t> domain_levels;    ///< Earlier levels that decide the values of the axis and of the dependents, or share a filter with the axis.
    std::vector<std::size_t> size_levels;      ///< Levels up to this one that decide the subtree size of a prefix.
    std::vector<std::size_t> checks;           ///< Checks that become known here.
    const std::vector<double>* all = nullptr;  ///< Values of the axis in the space; a code is an index. Null if unknown.
    VariantKinds kinds;                        ///< Variants by the fixed axes that matter up to here.
  };
  /// A check of one or more variants.
  struct Check {
    VariantSet variants = 0;          ///< The variants that have the check.
    std::vector<std::size_t> places;  ///< Position among the checks of a variant, by variant.
    std::vector<std::size_t> reads;   ///< Levels that decide the check, ascending.
  };

  /// `metrics`: number of leading results of each trace to evaluate.
  Plan(const std::vector<Variant>& variants, std::size_t metrics, const PlanRequest& request);

  const std::vector<Level>& levels() const { return levels_; }                ///< Levels, outermost first.
  const std::vector<std::size_t>& dependents() const { return dependents_; }  ///< Derived and fixed axes, known before any level.
  const VariantKinds& kinds() const { return kinds_; }                        ///< Variants by the fixed axes that matter before any level.
  const LevelKernel& kernel() const { return *kernel_; }                      ///< Kernel of the merged tape; its checks are `checks()`.
  std::size_t result(std::size_t variant, std::size_t metric) const { return variant * metrics_ + metric; }  ///< Index of a result of the kernel.
  const std::vector<Check>& checks() const { return checks_; }                                               ///< Distinct checks of all variants.
  std::size_t variants() const { return checks_of_.size(); }                                                 ///< Number of variants.
  /// Returns the checks of a variant in their order; the first that fails is the reason of refusal.
  const std::vector<std::size_t>& checks_of(std::size_t variant) const { return checks_of_[variant]; }
  /// Returns the decisions about pruning for a variant.
  const CheckOrder& order_of(std::size_t variant) const { return orders_[order_of_[variant]]; }

  /// The division of a large group for several threads: each share evaluates every `count`-th prefix of `level`.
  struct Shares {
    std::size_t count = 1, level = 0;  ///< Number of shares; the level whose prefixes are divided.
  };
  /// Returns the division; one share unless the plan is expensive.
  const Shares& shares() const { return shares_; }

  /// Returns the index of the kernel input that a level assigns.
  std::size_t input_of(std::size_t level) const { return input_of_[level]; }
  /// Returns the kernel inputs for these variants; inputs that a level assigns are arbitrary.
  std::vector<double> inputs(const std::vector<Variant>& variants) const;
  /// Returns a kernel for one check alone, over the same inputs.
  Kernel check_kernel(std::size_t check) const { return Kernel(tape_, std::span(&scalars_[check], 1)); }

 private:
  using CheckIndex = std::map<std::pair<std::int32_t, std::uint64_t>, std::size_t>;  ///< Index of a check by its symbol, or by its constant value.

  // Steps of the constructor. `depends`: the axes on which each instruction of the merged tape depends.

  /// Merges the tapes of all variants into `tape_`, with their checks and results.
  void merge_tapes(const std::vector<Variant>& variants, const PlanRequest& request);
  /// Adds the checks of a variant; equal checks of several variants become one check.
  void add_checks(std::size_t variant, std::span<const Scalar> checks, CheckIndex& known);
  /// Returns for each check the mask of the samples that pass.
  std::vector<std::uint64_t> passes(const std::vector<Variant>& variants, const PlanRequest& request) const;
  /// Chooses the order of the axes that are not fixed.
  LevelOrder order(const std::vector<Variant>& variants, const std::vector<AxisSet>& depends, const PlanRequest& request) const;
  /// Makes the levels, and finds the levels that decide choices and subtree sizes.
  void add_levels(const LevelOrder& order, const PlanRequest& request);
  /// Groups the variants by kind, before any level and at each level.
  void add_kinds(const std::vector<Variant>& variants, const PlanRequest& request);
  /// Places each check on a level, and decides about pruning.
  void place_checks(const std::vector<AxisSet>& depends, const LevelOrder& order);
  /// Divides an expensive plan into shares.
  void find_shares(const LevelOrder& order);
  /// Compiles the merged tape level by level.
  void make_kernel(const LevelOrder& order, const PlanRequest& request);
  /// Returns the levels of axes, ascending; axes without a level are left out.
  std::vector<std::size_t> levels_of(AxisSet axes) const;

  /// An input of the merged tape: a free axis, and a variant with its value.
  struct Input {
    std::size_t axis = 0, variant = 0;
  };

  const std::size_t metrics_;              ///< Number of metrics of each variant.
  Tape tape_;                              ///< The merged tape of all variants.
  std::vector<Input> inputs_;              ///< Inputs of the tape: the free axes, then further values of fixed axes.
  std::vector<Scalar> scalars_, results_;  ///< Checks, and results of the kernel, as scalars of the tape.
  std::vector<Level> levels_;
  std::vector<int> level_of_;          ///< Level by axis; -1 for an axis without a level.
  std::vector<std::size_t> input_of_;  ///< Kernel input of each level.
  std::vector<std::size_t> dependents_;
  VariantKinds kinds_;
  std::vector<Check> checks_;
  std::vector<std::vector<std::size_t>> checks_of_;  ///< Indexes of the checks of each variant, in order.
  std::vector<CheckOrder> orders_;                   ///< Distinct decisions about pruning.
  std::vector<std::size_t> order_of_;                ///< Index in `orders_` for each variant.
  std::optional<LevelKernel> kernel_;
  Shares shares_;
};

/// A plan that the first thread in need of it makes. Thread-safe.
class LazyPlan {
 public:
  LazyPlan(std::vector<Variant> variants, std::size_t metrics, PlanRequest request) : arguments_(Arguments{std::move(variants), metrics, std::move(request)}) {}

  /// Returns the plan; the first call makes it, and other threads wait.
  const Plan& get() {
    std::call_once(once_, [this] {
      plan_.emplace(arguments_->variants, arguments_->metrics, arguments_->request);
      for (const Variant& variant : arguments_->variants) --variant.trace->plans;
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
  std::optional<Arguments> arguments_;  ///< Arguments of the plan; empty once it is made.
  std::once_flag once_;
  std::optional<Plan> plan_;
};

}  // namespace opledger
