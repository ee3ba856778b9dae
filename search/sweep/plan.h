#pragma once
#include <optional>
#include <string>
#include <vector>

#include "expr/level_kernel.h"
#include "search/space/free_axes.h"
#include "search/space/region.h"
#include "search/space/stops.h"

/// How the candidates of one structure are evaluated: in which order their axes get values, what is computed where, and when it is known that a check refuses
/// them.
namespace opledger {

/// What every plan of a structure needs to know of it.
struct StructureFacts {
  StructureFacts(const Trace& trace, const FreeAxes& free);

  std::vector<AxisSet> depends;  ///< By instruction.
  std::vector<Scalar> checks;    ///< By check.
  Kernel all_checks;
};

/// Some candidates of a part, at random.
struct PartSamples {
  std::vector<double> sizes;                    ///< By axis: about how many values it has that the others leave.
  std::vector<std::vector<double>> candidates;  ///< By axis.
};

/// What a plan is made for.
struct PlanRequest {
  const Space& space;
  const FreeAxes& free;
  const Stops& stops;
  AxisSet fixed = 0;                                   ///< Axes that have one value in a part.
  const Region& region;                                ///< Of a part: others have filters on the same axes.
  const std::vector<const std::vector<double>*>& all;  ///< By axis: all its values in the space, rising; null: not known.
  const PartSamples& samples;
};

class Plan {
 public:
  /// An axis, and those of a single value that can be known once it is.
  struct Level {
    std::size_t axis = 0;
    std::vector<std::size_t> follow;           ///< In the order of the space: derived axes, and fixed ones that not every prefix admits.
    std::vector<std::size_t> reads;            ///< Levels before that decide which values it has.
    std::vector<std::size_t> decide;           ///< Levels up to here that decide how many candidates there are behind it.
    std::vector<std::size_t> checks;           ///< That are known here, in their order.
    const std::vector<double>* all = nullptr;  ///< Its values in the space, by code; null: not known.
  };

  /// `metrics`: so many results of the trace, the first, are wanted.
  Plan(const Trace& trace, const StructureFacts& facts, std::size_t metrics, const PlanRequest& request);

  const std::vector<Level>& levels() const { return levels_; }
  const std::vector<std::size_t>& follow() const { return follow_; }  ///< What can be known before any level.
  const LevelKernel& kernel() const { return *kernel_; }              ///< Its checks are those of the trace.
  std::size_t checks() const { return settled_.size(); }
  /// The level at which it is known whether a check is the first that fails; -1: before any.
  int settled(std::size_t check) const { return settled_[check]; }

  /// Candidates behind a prefix that fails a check may fail one before it that isn't known yet.
  struct Doomed {
    bool counted = false;           ///< Few levels decide how many do: they are counted at once.
    std::vector<std::size_t> keys;  ///< These, up to that of the prefix, with those that decide how many there are.
  };
  const Doomed& doomed(std::size_t level, std::size_t check) const { return doomed_[level][check]; }
  /// Levels that decide a check, rising.
  const std::vector<std::size_t>& read_by(std::size_t check) const { return read_by_[check]; }
  /// A check by itself.
  Kernel alone(std::size_t check) const { return Kernel(*tape_, std::span(&checks_[check], 1)); }

 private:
  void find_doomed(const std::vector<std::uint64_t>& reads, const std::vector<double>& prefixes);

  const Tape* tape_;
  const std::vector<Scalar>& checks_;
  std::vector<Level> levels_;
  std::vector<std::size_t> follow_;
  std::vector<int> settled_;
  std::vector<std::vector<std::size_t>> read_by_;  ///< By check.
  std::vector<std::vector<Doomed>> doomed_;        ///< By level and check.
  std::vector<std::optional<Kernel>> alone_;       ///< By check.
  std::optional<LevelKernel> kernel_;
};

}  // namespace opledger
