#pragma once
#include <optional>
#include <unordered_set>
#include <vector>

#include "search/space.h"

/// Axes that stop: behind the first of their values with which nothing is feasible, all axes before alike, they have no more. Which these are is found out a
/// stretch of the space at a time, axis by axis from the innermost on: an outer one depends on what inner ones leave. An axis of which it is known is settled.
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
  /// These axes, with all that their values depend on.
  AxisSet with_read(AxisSet axes) const;

  /// A stretch: nothing of it is known.
  void begin();
  /// The axis to look at; empty: all are settled.
  std::optional<std::size_t> next() const;
  /// Something is feasible with these values of the axes up to the one that is looked at, derived ones left out.
  void add(const std::vector<Key>& feasible) { feasible_[next_].insert(feasible.begin(), feasible.end()); }
  void settle();

  /// Of the values of a settled axis those that it has. `values`: by axis.
  void shorten(std::size_t axis, const std::vector<double>& values, const std::vector<double>& domain, std::vector<double>& out) const;

 private:
  struct Hash {
    std::size_t operator()(Key key) const { return static_cast<std::size_t>(key); }
  };

  const Space& space_;
  std::vector<std::size_t> axes_;  ///< Those that stop, the innermost first.
  std::vector<std::unordered_set<Key, Hash>> feasible_;
  std::size_t next_ = 0;
  AxisSet settled_ = 0;
};

}  // namespace opledger
