#include "search/sweep/known_structures.h"

#include <algorithm>

#include "search/sweep/refusal.h"

namespace opledger {

Filter JointGuards::filter(const FreeAxes& free, const std::vector<std::vector<double>>& candidates) const {
  return Filter(axes_, candidates, guards_.hold(free.columns(candidates).pointers, candidates.size()));
}

KnownStructures::KnownStructures(Space& space, FreeAxes free, Question question, std::string refused_by)
    : space_(space),
      free_(std::move(free)),
      question_(std::move(question)),
      refused_by_(std::move(refused_by)),
      combinations_(space),
      values_(space.axes.size()) {
  for (const std::size_t axis : free_.axes) {
    values_[axis] = combinations_.values(space, axis);
    if (values_[axis] != nullptr) shared_.candidates.values[space.axes[axis].input] = *values_[axis];
  }
}

bool KnownStructures::covers(const KnownStructure& known, const std::vector<double>& values) const {
  const auto passes = [&](const Filter& filter) { return filter.admits(filter.axes(), values); };
  if (!std::all_of(known.filters.begin(), known.filters.end(), passes)) return false;
  const std::vector<double> candidate = known.wide.empty() ? std::vector<double>{} : free_.of(values);
  return std::all_of(known.wide.begin(), known.wide.end(), [&](const JointGuards& guards) { return guards.hold(candidate); });
}

KnownStructure& KnownStructures::of(const std::vector<double>& values) {
  for (auto known = all_.rbegin(); known != all_.rend(); ++known) {  // candidates come in runs of one structure
    if (covers(**known, values)) return **known;
  }
  Trace traced = Structure::trace_or_refuse(*space_.run, question_, free_.of(values), shared_);
  if (!refused_by_.empty()) keep_refused(traced, refused_by_);
  KnownStructure& out = *all_.emplace_back(std::make_unique<KnownStructure>());
  out.trace = std::move(traced);
  add_filters(out);
  for (const Trace::Check& check : out.trace.checks) out.reasons.push_back(reason_of(check));
  return out;
}

void KnownStructures::add_filters(KnownStructure& structure) {
  struct Group {
    std::vector<Tape::Guard> guards;
    std::vector<std::pair<std::int32_t, double>> recorded;
  };
  std::map<AxisSet, Group> by_axes;
  const std::vector<AxisSet> depends = dependence(structure.trace.tape, free_.sets());
  const std::vector<Tape::Guard>& guards = structure.trace.tape.guards();
  for (std::size_t g = 0; g < guards.size(); ++g) {
    Group& group = by_axes[guards[g].condition.constant() ? 0 : depends[guards[g].condition.symbol]];
    group.guards.push_back(guards[g]);
    if (!structure.trace.recorded.empty()) group.recorded.emplace_back(structure.trace.recorded[g], guards[g].value);
  }
  for (const auto& [axes, group] : by_axes) {
    const AxisSet read = with_read(space_, axes);
    const std::vector<std::vector<double>>* const candidates = combinations_.of(read);
    if (candidates == nullptr) {
      structure.wide.emplace_back(structure.trace, axes, read, group.guards);
      continue;
    }
    const auto made = [&] { return JointGuards(structure.trace, axes, read, group.guards).filter(free_, *candidates); };
    const auto known = group.recorded.empty() ? filters_.end() : filters_.find(group.recorded);
    Filter filter = known != filters_.end() ? known->second : made();
    if (!group.recorded.empty() && known == filters_.end()) filters_.emplace(group.recorded, filter);
    if (!filter.always()) structure.filters.push_back(std::move(filter));
  }
}

}  // namespace opledger
