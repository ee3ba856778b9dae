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
  all_.push_back(std::make_unique<KnownStructure>(std::move(traced), free_));
  KnownStructure& out = *all_.back();
  add_filters(out);
  for (const Trace::Check& check : out.trace.checks) out.reasons.push_back(reason_of(check));
  return out;
}

void KnownStructures::add_filters(KnownStructure& structure) {
  std::map<AxisSet, std::vector<Tape::Guard>> by_axes;
  const std::vector<AxisSet>& depends = structure.facts.depends;
  for (const Tape::Guard& guard : structure.trace.tape.guards()) by_axes[guard.condition.constant() ? 0 : depends[guard.condition.symbol]].push_back(guard);
  for (const auto& [axes, guards] : by_axes) {
    JointGuards joint(structure.trace, axes, with_read(space_, axes), guards);
    const std::vector<std::vector<double>>* const candidates = combinations_.of(joint.read());
    if (candidates == nullptr) {
      structure.wide.push_back(std::move(joint));
      continue;
    }
    Filter filter = joint.filter(free_, *candidates);
    if (!filter.always()) structure.filters.push_back(std::move(filter));
  }
}

}  // namespace opledger
