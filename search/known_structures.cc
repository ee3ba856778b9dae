#include "search/known_structures.h"

#include <algorithm>

#include "search/refusal.h"

namespace opledger {
namespace {

/// For which candidates all these guards hold.
std::vector<bool> holding(const Trace& trace, const std::vector<Tape::Guard>& guards, const FreeAxes& free,
                          const std::vector<std::vector<double>>& candidates) {
  std::vector<std::vector<double>> inputs, results(guards.size(), std::vector<double>(candidates.size()));
  std::vector<const double*> in;
  std::vector<double*> out;
  std::vector<Scalar> conditions;
  for (const std::size_t a : free.axes) {
    std::vector<double>& column = inputs.emplace_back();
    for (const auto& values : candidates) column.push_back(values[a]);
  }
  for (const auto& column : inputs) in.push_back(column.data());
  for (std::size_t g = 0; g < guards.size(); ++g) {
    conditions.push_back(guards[g].condition);
    out.push_back(results[g].data());
  }
  Kernel(trace.tape, conditions).run(in, out, candidates.size());
  std::vector<bool> all(candidates.size(), true);
  for (std::size_t g = 0; g < guards.size(); ++g) {
    for (std::size_t c = 0; c < candidates.size(); ++c) all[c] = all[c] && results[g][c] == guards[g].value;
  }
  return all;
}

}  // namespace

KnownStructures::KnownStructures(Space& space, const FreeAxes& free, const Question& question, const std::string& refused_by)
    : space_(space), free_(free), question_(question), refused_by_(refused_by), combinations_(space) {
  for (const std::size_t axis : free.axes) {
    if (const std::vector<double>* values = combinations_.values(space, axis)) shared_.candidates.values[space.axes[axis].input] = *values;
  }
}

bool KnownStructures::covers(const KnownStructure& known, const std::vector<double>& values) const {
  const auto passes = [&](const Filter& filter) { return filter.admits(filter.axes(), values); };
  if (!std::all_of(known.filters.begin(), known.filters.end(), passes)) return false;
  return known.unfiltered == 0 || known.structure->covers(free_.of(values));
}

KnownStructure& KnownStructures::of(const std::vector<double>& values) {
  for (auto known = all_.rbegin(); known != all_.rend(); ++known) {  // candidates come in runs of one structure
    if (covers(**known, values)) return **known;
  }
  Trace traced = Structure::trace_or_refuse(*space_.run, question_, free_.of(values), shared_);
  if (!refused_by_.empty()) keep_refused(traced, refused_by_);
  all_.push_back(std::make_unique<KnownStructure>(std::move(traced)));
  KnownStructure& out = *all_.back();
  add_filters(out);
  for (const Trace::Check& check : out.trace.checks) out.reasons.push_back(reason_of(check));
  return out;
}

void KnownStructures::add_filters(KnownStructure& structure) {
  std::map<AxisSet, std::vector<Tape::Guard>> by_axes;
  for (const Tape::Guard& guard : structure.trace.tape.guards()) by_axes[axes_of(structure.trace, free_, guard.condition)].push_back(guard);
  for (const auto& [axes, guards] : by_axes) {
    const AxisSet read = with_read(space_, axes);
    const std::vector<std::vector<double>>* const candidates = combinations_.of(read);
    if (candidates == nullptr) {
      structure.unfiltered |= read;
      continue;
    }
    Filter filter(axes, *candidates, holding(structure.trace, guards, free_, *candidates));
    if (!filter.always()) structure.filters.push_back(std::move(filter));
  }
  if (structure.unfiltered != 0) structure.structure.emplace(structure.trace);
}

}  // namespace opledger
