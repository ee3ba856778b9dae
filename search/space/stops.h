#pragma once
#include <optional>
#include <vector>

#include "search/space/space.h"

/// Axes that stop: behind the first of their values that has candidates and none that is feasible, all axes before alike, they have no more. Which these are
/// is found out a stretch of the space at a time, axis by axis from the innermost on: an outer one depends on what inner ones leave. An axis of which it is
/// known is settled.
namespace opledger {

class Stops {
 public:
  /// Values of some axes, in short: 128 bits for each, so that those of rows and of columns add up. That two among a million are alike has a chance of 2^-89.
  __extension__ using Key = unsigned __int128;
  static Key key(std::size_t axis, double value);

  explicit Stops(const Space& space);

  bool none() const { return axes_.empty(); }
  AxisSet settled() const { return settled_; }
  bool settled(std::size_t axis) const { return (settled_ & axis_bit(axis)) != 0; }
  /// Axes that the values of this one depend on: all before it, once it is settled.
  AxisSet reads(std::size_t axis) const { return settled(axis) ? axis_bit(axis) - 1 : space_.axes[axis].reads; }
  /// By axis: the free axes that decide its values, what derived ones in between depend on for these.
  std::vector<AxisSet> deciding() const;
  /// These axes, with all that their values depend on.
  AxisSet with_read(AxisSet axes) const;

  /// A stretch: nothing of it is known.
  void begin();
  /// The axis to look at; empty: all are settled.
  std::optional<std::size_t> next() const;
  /// Something is feasible with these values of the axes up to the one that is looked at, derived ones left out.
  void add(const std::vector<Key>& feasible) { feasible_[next_].insert(feasible_[next_].end(), feasible.begin(), feasible.end()); }
  void settle();

  /// Of axes before one, all of them but derived ones. `values`: by axis.
  Key key_before(std::size_t axis, const std::vector<double>& values) const;
  /// Whether something is feasible with these values of a settled axis and those before it.
  bool feasible(std::size_t axis, Key key) const;

 private:
  const Space& space_;
  std::vector<std::size_t> axes_;           ///< Those that stop, the innermost first.
  std::vector<std::vector<Key>> feasible_;  ///< Of settled axes: rising, each once.
  std::size_t next_ = 0;
  AxisSet settled_ = 0;
};

}  // namespace opledger
