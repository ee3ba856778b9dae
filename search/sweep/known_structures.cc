#include "search/sweep/known_structures.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>

#include "search/sweep/refusal.h"

namespace opledger {

Filter JointGuards::filter(const FreeAxes& free, const std::vector<std::vector<double>>& candidates) const {
  return Filter(axes_, candidates, guards_.hold(free.columns(candidates).pointers, candidates.size()));
}

/// Every thread records on a tape of its own.
struct KnownStructures::Tracers {
  struct Own {
    Structure::Shared shared;
    std::size_t number = 0;
  };
  struct Expected {
    ~Expected() {
      group.cancel();
      group.wait();
    }

    std::optional<Traced> traced;
    tbb::task_group group;
  };

  tbb::enumerable_thread_specific<std::unique_ptr<Own>> own;
  std::atomic<std::size_t> count{0};
  std::map<std::vector<double>, Expected> expected;  ///< By candidate. Ends before what it records on.
};

KnownStructures::KnownStructures(Space& space, FreeAxes free, Question question, std::string refused_by)
    : space_(space),
      free_(std::move(free)),
      question_(std::move(question)),
      refused_by_(std::move(refused_by)),
      combinations_(space),
      values_(space.axes.size()),
      tracers_(std::make_unique<Tracers>()) {
  for (const std::size_t axis : free_.axes) {
    values_[axis] = combinations_.values(space, axis);
    if (values_[axis] != nullptr) candidates_.values[space.axes[axis].input] = *values_[axis];
  }
}

KnownStructures::~KnownStructures() = default;

void KnownStructures::expect(const std::vector<double>& values) {
  const bool alone = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism) == 1;
  if (alone || find(values) != nullptr) return;
  const auto [place, fresh] = tracers_->expected.try_emplace(values);
  if (!fresh) return;
  place->second.group.run([this, &values = place->first, &to = place->second] { to.traced = trace(values); });
}

void KnownStructures::expect_nothing() { tracers_->expected.clear(); }

KnownStructures::Traced KnownStructures::trace(const std::vector<double>& values) {
  std::unique_ptr<Tracers::Own>& own = tracers_->own.local();
  if (own == nullptr) {
    own = std::make_unique<Tracers::Own>();
    own->shared.candidates = candidates_;
    own->number = tracers_->count++;
  }
  return {Structure::trace_or_refuse(*space_.run, question_, free_.of(values), own->shared), own->number};
}

/// As it is expected, or now.
KnownStructures::Traced KnownStructures::take(const std::vector<double>& values) {
  const auto expected = tracers_->expected.find(values);
  if (expected == tracers_->expected.end()) return trace(values);
  expected->second.group.wait();
  Traced out = std::move(*expected->second.traced);
  tracers_->expected.erase(expected);
  return out;
}

bool KnownStructures::covers(const KnownStructure& known, const std::vector<double>& values) const {
  const auto passes = [&](const Filter& filter) { return filter.admits(filter.axes(), values); };
  if (!std::all_of(known.filters.begin(), known.filters.end(), passes)) return false;
  const std::vector<double> candidate = known.wide.empty() ? std::vector<double>{} : free_.of(values);
  return std::all_of(known.wide.begin(), known.wide.end(), [&](const JointGuards& guards) { return guards.hold(candidate); });
}

KnownStructure* KnownStructures::find(const std::vector<double>& values) {
  const auto known =
      std::find_if(all_.rbegin(), all_.rend(), [&](const auto& one) { return covers(*one, values); });  // candidates come in runs of one structure
  return known == all_.rend() ? nullptr : known->get();
}

KnownStructure& KnownStructures::of(const std::vector<double>& values) {
  if (KnownStructure* const known = find(values)) {
    tracers_->expected.erase(values);  // it was not known when it was expected
    return *known;
  }
  Traced traced = take(values);
  if (!refused_by_.empty()) keep_refused(traced.trace, refused_by_);
  KnownStructure& out = *all_.emplace_back(std::make_unique<KnownStructure>());
  out.trace = std::move(traced.trace);
  add_filters(out, traced.tape);
  for (const Trace::Check& check : out.trace.checks) out.reasons.push_back(reason_of(check));
  return out;
}

void KnownStructures::add_filters(KnownStructure& structure, std::size_t tape) {
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
    const auto known = group.recorded.empty() ? filters_.end() : filters_.find({tape, group.recorded});
    Filter filter = known != filters_.end() ? known->second : made();
    if (!group.recorded.empty() && known == filters_.end()) filters_.emplace(std::pair(tape, group.recorded), filter);
    if (!filter.always()) structure.filters.push_back(std::move(filter));
  }
}

}  // namespace opledger
