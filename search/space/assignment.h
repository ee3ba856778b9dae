#pragma once
#include <vector>

#include "search/space/counter.h"
#include "search/space/region.h"
#include "search/space/stops.h"
#include "search/space/stretch.h"

/// Candidates in the making: some axes have values, others follow from them, the rest is open.
namespace opledger {

enum class Assigned { good, empty, error };

/// Gives values to axes in turn. Every thread has its own.
class Assignment {
 public:
  /// Axes that `stops` has settled have no more values than it leaves them; null: none stops.
  explicit Assignment(Space& space, const Stops* stops = nullptr);

  AxisSet all() const { return all_; }
  /// Takes the values of a stretch; of its sliced axis only those values are there from now on, and of all axes what the region admits. Both must live
  /// as long. False: the region has nothing of the stretch.
  bool enter(const Stretch& stretch, const Region& region);
  /// Finds the ranks of these axes.
  bool rank(AxisSet known, Diagnostics& diagnostics);
  /// Gives derived axes that can be known their values. Empty: the `where` of one leaves none.
  Assigned derive(AxisSet& known, Diagnostics& diagnostics);
  /// The first wanted axis that isn't known and whose domain is; the number of axes: none.
  std::size_t next(AxisSet known, AxisSet wanted) const;
  const std::vector<double>* domain(std::size_t axis, Diagnostics& diagnostics) {
    if (axis == sliced_) return slice_;
    const std::vector<double>* const all = domains.of(axis, values, diagnostics);
    return all == nullptr || stops_ == nullptr || !stops_->settled(axis) ? all : shortened(axis, *all, diagnostics);
  }
  /// Whether the region has the value of an axis that became known last.
  bool admits(std::size_t axis, AxisSet known) const { return region_ == nullptr || region_->admits(axis, known, values); }
  /// Visits every choice of wanted axes, in the order of the space, with what is known then; `values` holds it. False: `visit` gave that, or an error.
  template <class Visit>
  bool each(AxisSet known, AxisSet wanted, Diagnostics& diagnostics, const Visit& visit) {
    const Assigned derived = derive(known, diagnostics);
    if (derived != Assigned::good) return derived == Assigned::empty;
    const std::size_t axis = next(known, wanted);
    if (axis == values.size()) return visit(known);
    const std::vector<double>* of = domain(axis, diagnostics);
    if (of == nullptr) return false;
    for (std::size_t i = 0; i < of->size(); ++i) {
      values[axis] = (*of)[i];
      if (!admits(axis, known | axis_bit(axis))) continue;
      ranks[axis] = static_cast<std::uint32_t>(i);
      if (!each(known | axis_bit(axis), wanted, diagnostics, visit)) return false;
    }
    return true;
  }
  /// Whether a candidate comes before another in the order of the space.
  bool precedes(const std::vector<double>& a, const std::vector<double>& b, Diagnostics& diagnostics);

  std::vector<double> values;        ///< By axis; of those that aren't known, any.
  std::vector<std::uint32_t> ranks;  ///< By axis: where the value stands in the domain. Of axes that `each` gave values, or `rank` found.
  Domains domains;

 private:
  AxisSet reads(std::size_t axis) const { return stops_ != nullptr ? stops_->reads(axis) : space_.axes[axis].reads; }
  const std::vector<double>* shortened(std::size_t axis, const std::vector<double>& domain, Diagnostics& diagnostics);

  Space& space_;
  const Stops* stops_;
  std::vector<std::vector<double>> shortened_;  ///< By axis.
  Counter counter_;
  AxisSet all_;
  std::size_t sliced_ = kMaxSpaceAxes;
  const std::vector<double>* slice_ = nullptr;
  const Region* region_ = nullptr;
};

}  // namespace opledger
