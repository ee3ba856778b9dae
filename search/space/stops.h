#pragma once
#include <optional>
#include <vector>

#include "search/space/space.h"

/// Axes with `stop: infeasible`. Such an axis ends after the first value with candidates of which no one is feasible,
/// for fixed values of the axes before. The result depends on the values that inner axes keep. Therefore the stopping
/// axes of a range are resolved one after the other, innermost first. An axis is resolved once its feasible values
/// are known.
namespace opledger {

/// The stopping axes of a space, and the prefixes of values with a feasible candidate.
class Stops {
 public:
  /// A hash of the values of some axes, 128 bits. Hashes of single values add up, so that rows and columns combine.
  /// Two of a million prefixes collide with probability 2^-89.
  __extension__ using Key = unsigned __int128;
  /// Returns the hash of one axis's value.
  static Key key(std::size_t axis, double value);

  explicit Stops(const Space& space);

  /// Returns whether no axis stops.
  bool none() const { return axes_.empty(); }
  /// Returns the resolved axes.
  AxisSet resolved() const { return resolved_; }
  /// Returns whether an axis is resolved: its values with a feasible candidate are known.
  bool resolved(std::size_t axis) const { return (resolved_ & axis_bit(axis)) != 0; }
  /// Returns the axes that the domain of `axis` reads: every axis before, once `axis` is resolved.
  AxisSet reads(std::size_t axis) const { return resolved(axis) ? axis_bit(axis) - 1 : space_.axes[axis].reads; }
  /// Returns for each axis the free axes that determine its values; derived axes are replaced by their inputs.
  std::vector<AxisSet> deciding() const;
  /// Returns `axes` and the axes on which their domains depend, transitively.
  AxisSet with_dependencies(AxisSet axes) const;

  /// Starts a candidate range: no axis is resolved.
  void begin();
  /// Returns the next axis to resolve; nothing if every axis is.
  std::optional<std::size_t> next() const;
  /// Records prefixes with a feasible candidate: hashes of the free axes up to the axis that is being resolved.
  void add(const std::vector<Key>& feasible) { feasible_[next_].insert(feasible_[next_].end(), feasible.begin(), feasible.end()); }
  /// Marks the axis returned by `next` as resolved.
  void resolve();

  /// Returns the hash of the free axes before `axis`. `values`: by axis.
  Key key_before(std::size_t axis, const std::vector<double>& values) const;
  /// Returns whether a candidate with this prefix of a resolved axis is feasible. `key`: the hash up to and including
  /// `axis`.
  bool feasible(std::size_t axis, Key key) const;

 private:
  const Space& space_;
  std::vector<std::size_t> axes_;           ///< The stopping axes, innermost first.
  std::vector<std::vector<Key>> feasible_;  ///< Feasible prefixes for each entry of `axes_`; sorted and unique once the axis is resolved.
  std::size_t next_ = 0;                    ///< Position in `axes_` of the axis to resolve next.
  AxisSet resolved_ = 0;                    ///< The resolved axes.
};

}  // namespace opledger
