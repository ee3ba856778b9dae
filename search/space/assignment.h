#pragma once
#include <vector>

#include "search/space/candidate_range.h"
#include "search/space/counter.h"
#include "search/space/region.h"
#include "search/space/stops.h"

/// Partial candidates: some axes have values, derived axes follow from them, the remaining axes are open.
namespace opledger {

/// Result of assigning derived axes: `empty` if a derived axis has no value, `error` with diagnostics.
enum class AssignmentStatus { good, empty, error };

/// A partial candidate, to which values are assigned axis by axis. Typical use: `enter` a candidate range, set `values`
/// of some axes, `derive` the axes that follow, then `next` and `domain` for the next axis; `each` does all steps. Sets
/// of known axes are kept by the caller. Not safe for concurrent use: each thread has its own object.
class Assignment {
 public:
  /// Shortens the domains of axes that `stops` has resolved; null: no axis stops.
  explicit Assignment(Space& space, const Stops* stops = nullptr);

  /// Returns the set of all axes of the space.
  AxisSet all() const { return all_; }
  /// Takes over the values of a candidate range. From now on, `domain` returns the range's slice for the sliced axis,
  /// and `admits` tests against `region`. Both arguments must outlive the use. Returns false if the region excludes
  /// the range's fixed values.
  bool enter(const CandidateRange& range, const Region& region);
  /// Sets `ranks` for the axes in `known`. Returns false, with errors, if a domain can't be computed.
  bool rank(AxisSet known, Diagnostics& diagnostics);
  /// Sets every derived axis whose inputs are known, and adds these axes to `known`. Returns `empty` if the `where`
  /// of a derived axis refuses its value.
  AssignmentStatus derive(AxisSet& known, Diagnostics& diagnostics);
  /// Returns the first open axis among `targets` whose domain can be computed, or the number of axes if no axis
  /// qualifies.
  std::size_t next(AxisSet known, AxisSet targets) const;
  /// Returns the values of an axis in this range, shortened once `stops` has resolved the axis. Null, with errors, as for
  /// `Domains::of`.
  const std::vector<double>* domain(std::size_t axis, Diagnostics& diagnostics) {
    if (axis == sliced_) return slice_;
    const std::vector<double>* const all = domains.of(axis, values, diagnostics);
    return all == nullptr || stops_ == nullptr || !stops_->resolved(axis) ? all : shortened(axis, *all, diagnostics);
  }
  /// Returns whether the region admits the current value of `axis`, the axis assigned last.
  bool admits(std::size_t axis, AxisSet known) const { return region_ == nullptr || region_->admits(axis, known, values); }
  /// Visits every assignment of the open axes in `targets` that the region admits, in the order of the space. `visit`
  /// receives the set of known axes and reads `values`. Returns false if `visit` does, or on an error.
  template <class Visit>
  bool each(AxisSet known, AxisSet targets, Diagnostics& diagnostics, const Visit& visit) {
    const AssignmentStatus derived = derive(known, diagnostics);
    if (derived != AssignmentStatus::good) return derived == AssignmentStatus::empty;
    const std::size_t axis = next(known, targets);
    if (axis == values.size()) return visit(known);
    const std::vector<double>* of = domain(axis, diagnostics);
    if (of == nullptr) return false;
    for (std::size_t i = 0; i < of->size(); ++i) {
      values[axis] = (*of)[i];
      if (!admits(axis, known | axis_bit(axis))) continue;
      ranks[axis] = static_cast<std::uint32_t>(i);
      if (!each(known | axis_bit(axis), targets, diagnostics, visit)) return false;
    }
    return true;
  }
  /// Returns whether candidate `a` comes before candidate `b` in the order of the space.
  bool precedes(const std::vector<double>& a, const std::vector<double>& b, Diagnostics& diagnostics);

  std::vector<double> values;        ///< Value of each axis; placeholders for open axes.
  std::vector<std::uint32_t> ranks;  ///< Index of each axis's value in its domain, as set by `each` or `rank`.
  Domains domains;                   ///< Whole domains of the axes, cached.

 private:
  /// Returns the axes that the domain of `axis` reads.
  AxisSet reads(std::size_t axis) const { return stops_ != nullptr ? stops_->reads(axis) : space_.axes[axis].reads; }
  /// Returns a domain up to its first value with candidates of which none is feasible. Null, with errors, if counting
  /// fails.
  const std::vector<double>* shortened(std::size_t axis, const std::vector<double>& domain, Diagnostics& diagnostics);

  Space& space_;
  const Stops* stops_;
  std::vector<std::vector<double>> shortened_;  ///< Buffers for the last shortened domain of each axis.
  Counter counter_;                             ///< Decides whether a value has candidates.
  AxisSet all_;                                 ///< All axes of the space.
  std::size_t sliced_ = kMaxSpaceAxes;          ///< Axis whose domain the range cuts to `slice_`; past the last axis if none.
  const std::vector<double>* slice_ = nullptr;  ///< Values of the sliced axis, owned by the range.
  const Region* region_ = nullptr;              ///< Region of the last `enter`; null: no restriction.
};

}  // namespace opledger
