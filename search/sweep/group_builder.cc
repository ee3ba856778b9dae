#include "search/sweep/group_builder.h"

#include <algorithm>

namespace opledger {
namespace {

// Limits of open groups, and of variants in them.
constexpr std::size_t kMaxOpen = 8, kMaxVariantsWaiting = 32;
// Limit of the number of plans: kMaxPlans, and kPlansPerTrace for each trace. Above it, combinations of traces rarely
// repeat.
constexpr std::size_t kMaxPlans = 16, kPlansPerTrace = 2;
// Number of instructions, before equal ones merge, from which on a group gets no further variants. The limit bounds the
// registers of the kernel.
constexpr std::size_t kMaxInstructions = 1 << 20;

}  // namespace

void GroupBuilder::begin(std::shared_ptr<const CandidateRange> range, std::optional<std::size_t> stop, std::size_t metrics,
                         const std::vector<const std::vector<double>*>& values) {
  range_ = std::move(range);
  stop_ = stop;
  metrics_ = stop ? 0 : metrics;
  values_ = &values;
  open_.clear();
}

/// Adds a partition, the candidates with one trace, to an open group with equal traits; otherwise opens a group. The
/// partitions of a group become its variants, and one plan evaluates all of them together. Axes with one value in the
/// region are fixed first: partitions may differ in fixed values, so more of them have equal traits. A group has limits
/// of variants and of instructions. Before a group is opened, the oldest group is closed and passed to `take` if too
/// many groups are open, or too many variants wait in them.
bool GroupBuilder::add(Partition partition, Take take) {
  const AxisSet fixed = partition.known | partition.region.fix_single_values(partition.values);
  SharedTraits own = traits(partition, fixed);
  auto open = std::find_if(open_.begin(), open_.end(), [&](const OpenGroup& o) {
    return o.group.variants.size() < (separate_ ? 1 : kMaxVariants) && o.instructions < kMaxInstructions && o.traits == own;
  });
  if (open == open_.end()) {
    if ((open_.size() == kMaxOpen || waiting() >= kMaxVariantsWaiting) && !close(take)) return false;
    open_.push_back({std::move(own), {nullptr, range_, std::move(partition.region), {}, fixed, stop_}, 0});
    open = open_.end() - 1;
  }
  open->instructions += partition.trace.trace.tape.instructions().size();
  open->group.variants.push_back({&partition.trace, std::move(partition.values)});
  return true;
}

/// Returns the number of variants in open groups.
std::size_t GroupBuilder::waiting() const {
  std::size_t out = 0;
  for (const OpenGroup& open : open_) out += open.group.variants.size();
  return out;
}

bool GroupBuilder::finish(Take take) {
  while (!open_.empty()) {
    if (!close(take)) return false;
  }
  return true;
}

/// Emits the oldest group with its plan.
bool GroupBuilder::close(Take take) {
  OpenGroup oldest = std::move(open_.front());
  open_.pop_front();
  oldest.group.plan = plan(oldest);
  return !diagnostics_.has_errors() && take(std::move(oldest.group));
}

/// Returns the traits of a partition: partitions with equal traits choose the same values of the axes that are not
/// fixed, and may share a group. The traits are the assigned and the fixed axes with two kinds of values: assigned
/// values, and fixed values on which other domains depend. The last trait is the set of combinations of the other axes
/// that the region's filters admit.
GroupBuilder::SharedTraits GroupBuilder::traits(const Partition& partition, AxisSet fixed) const {
  const std::vector<AxisSet> deciding = stops_.deciding();
  AxisSet decide = partition.known;
  for (const std::size_t axis : free_.axes) decide |= (fixed & axis_bit(axis)) == 0 ? deciding[axis] & fixed : 0;
  SharedTraits out{partition.known, fixed, {}, partition.region.residual(fixed, partition.values)};
  for (std::size_t a = 0; a < partition.values.size(); ++a) {
    if ((decide & axis_bit(a)) != 0) out.decided.emplace_back(a, partition.values[a]);
  }
  return out;
}

/// Returns the key under which the plan of a group is cached. The key has the traces, the fixed axes, the axes with
/// known stops, and the axes of filters. Values of fixed axes are left out, because they are inputs of the plan's
/// kernel. Equal values of several variants are one input, however. The key therefore has, for each fixed axis and
/// variant, the first variant with an equal value.
GroupBuilder::PlanKey GroupBuilder::key(const OpenGroup& open) const {
  PlanKey out;
  auto& [traces, fixed, first_equal, resolved, joint_axes] = out;
  fixed = open.group.fixed;
  resolved = stops_.resolved();
  for (const auto& [axes, _] : open.traits.filters) joint_axes.push_back(axes);
  const std::vector<Variant>& variants = open.group.variants;
  for (const Variant& variant : variants) traces.push_back(variant.trace);
  for (const std::size_t axis : free_.axes) {
    if ((fixed & axis_bit(axis)) == 0) continue;
    for (const Variant& variant : variants) {
      std::size_t first = 0;
      while (variants[first].values[axis] != variant.values[axis]) ++first;
      first_equal.push_back(first);
    }
  }
  return out;
}

/// Returns the plan of a group from the cache `plans_`, or adds a new plan, which is made later on a thread
/// (`LazyPlan`). A plan is reused by groups with an equal key, which may differ in values of fixed axes. If plans
/// multiply faster than traces, the same combinations of traces rarely repeat, and grouping does not pay off: all
/// further groups have one variant. The samples are drawn here, because `assignment_` belongs to this thread.
std::shared_ptr<LazyPlan> GroupBuilder::plan(const OpenGroup& open) {
  if (!separate_ && plans_.size() > kMaxPlans + kPlansPerTrace * traces_.size()) {
    separate_ = true;
    plans_.clear();
  }
  const PartitionGroup& group = open.group;
  std::shared_ptr<LazyPlan>& plan = plans_[key(open)];
  if (plan != nullptr) {
    for (const Variant& variant : group.variants) --variant.trace->plans;
  } else {
    for (const Variant& variant : group.variants) traces_.insert(variant.trace);
    assignment_.enter(*range_, group.region);
    assignment_.values = group.variants[0].values;
    plan = std::make_shared<LazyPlan>(group.variants, metrics_,
                                      PlanRequest{space_, free_, stops_.deciding(), group.fixed, group.region, *values_, samples(open.traits.known)});
  }
  return plan;
}

/// Draws up to 64 random candidates of the region, from which a plan estimates the effect of its checks. Each is a
/// random walk: axes are assigned in order, with a value drawn uniformly from the values that the region admits. A walk
/// that meets an empty domain gives no candidate. `sizes` are mean numbers of admitted values of each axis along the
/// walks, 1 for an axis that no walk assigned. `known`: axes with a value in all candidates of the group; `assignment_`
/// has their values and is restored.
GroupSamples GroupBuilder::samples(AxisSet known) {
  constexpr int kSamples = 64;
  GroupSamples out;
  std::vector<double>& sum = out.sizes;
  sum.resize(space_.axes.size());
  std::vector<double> visits(space_.axes.size());
  const std::vector<double> before = assignment_.values;
  for (int sample = 0; sample < kSamples; ++sample) {
    AxisSet assigned = known;
    while (assignment_.derive(assigned, diagnostics_) == AssignmentStatus::good && assigned != assignment_.all()) {
      const std::size_t axis = assignment_.next(assigned, assignment_.all());
      const std::vector<double> domain = admitted(axis, assigned);
      if (domain.empty()) break;
      sum[axis] += static_cast<double>(domain.size());
      visits[axis] += 1;
      assignment_.values[axis] = domain[random_() % domain.size()];
      assigned |= axis_bit(axis);
    }
    if (assigned == assignment_.all()) out.candidates.push_back(assignment_.values);
    assignment_.values = before;
  }
  for (std::size_t a = 0; a < sum.size(); ++a) sum[a] = visits[a] > 0 ? sum[a] / visits[a] : 1;
  return out;
}

/// Returns the values of an axis that the region admits.
std::vector<double> GroupBuilder::admitted(std::size_t axis, AxisSet known) {
  std::vector<double> out;
  const std::vector<double>* domain = assignment_.domain(axis, diagnostics_);
  for (std::size_t i = 0; domain != nullptr && i < domain->size(); ++i) {
    assignment_.values[axis] = (*domain)[i];
    if (assignment_.admits(axis, known | axis_bit(axis))) out.push_back((*domain)[i]);
  }
  return out;
}

}  // namespace opledger
