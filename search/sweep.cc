#include "search/sweep.h"

#include <fmt/core.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <memory>
#include <random>

#include "search/combinations.h"
#include "search/part_queue.h"
#include "search/refusal.h"

namespace opledger {
namespace {

/// All that one structure needs.
struct Planned {
  explicit Planned(Trace traced) : trace(std::move(traced)), structure(trace) {}
  Trace trace;
  Structure structure;
  AxisSet guarded = 0;
  std::vector<std::string> reasons;                ///< By check.
  std::map<AxisSet, std::unique_ptr<Plan>> plans;  ///< By the axes that are fixed.
};

class Sweep {
 public:
  Sweep(Space& space, const SweepRequest& request, Diagnostics& diagnostics)
      : space_(space),
        request_(request),
        diagnostics_(diagnostics),
        assignment_(space),
        combinations_(space),
        free_(space),
        question_(question_of(space)),
        assembly_(space, request, assignment_, result_) {
    question_.outputs = {space.objective};
    question_.outputs.insert(question_.outputs.end(), request.sums.begin(), request.sums.end());
    for (const FrontMetric& metric : request.front) question_.outputs.push_back(metric.name);
    question_.outputs.insert(question_.outputs.end(), request.metrics.begin(), request.metrics.end());
    question_.constraints = true;
    parts_.emplace(space, free_, request, question_.outputs, assembly_);
    for (const std::size_t axis : free_.axes) {
      if (const std::vector<double>* values = combinations_.values(space, axis)) shared_.candidates.values[space.axes[axis].input] = *values;
    }
  }

  bool run() {
    Stretches stretches(space_);
    const std::optional<std::uint64_t> total = stretches.total(diagnostics_);
    if (!total) return false;
    parts_->total = *total;
    stretches.cut_at(most_of_stretch(*total, request_.list, request_.ranges != nullptr));
    for (std::optional<StretchRange> range = first_range(); range; range = request_.ranges ? request_.ranges() : std::nullopt) {
      if (!explore(stretches, *range) || !parts_->run(diagnostics_) || !assembly_.finish(diagnostics_)) break;
    }
    if (diagnostics_.failed() || !assembly_.finish(diagnostics_)) return false;
    result_.partial = request_.stopped();
    if (result_.candidates == 0 && !result_.partial && !request_.ranges) {
      stretches.tell_why_none(diagnostics_);
      return false;
    }
    result_.structures = all_.size();
    result_.parts = assembly_.parts();
    return true;
  }

  std::optional<StretchRange> first_range() const {
    return request_.ranges ? request_.ranges() : std::optional<StretchRange>({request_.first, kMostCandidates});
  }

  bool explore(Stretches& stretches, const StretchRange& range) {
    while (std::optional<Stretch> stretch = stretches.made() < range.to ? stretches.next(diagnostics_) : std::nullopt) {
      if (stretch->number < range.from) continue;
      stretch_ = std::make_shared<const Stretch>(std::move(*stretch));
      assignment_.enter(*stretch_);
      if (!explore(stretch_->known)) return false;
    }
    return !diagnostics_.failed();
  }

  SweepResult take() { return std::move(result_); }

 private:
  /// The first candidate that has the known values.
  Assigned complete(AxisSet known) {
    if (const Assigned o = assignment_.derive(known, diagnostics_); o != Assigned::good) return o;
    if (known == assignment_.all()) return Assigned::good;
    const std::size_t axis = assignment_.next(known, assignment_.all());
    const std::vector<double>* domain = assignment_.domain(axis, diagnostics_);
    if (domain == nullptr) return Assigned::error;
    for (const double value : *domain) {
      assignment_.values[axis] = value;
      if (const Assigned o = complete(known | axis_bit(axis)); o != Assigned::empty) return o;
    }
    return Assigned::empty;
  }

  /// About how many values the axes have that aren't known: the mean over some random candidates.
  std::vector<double> sizes(AxisSet known) {
    constexpr int kSamples = 64;
    std::vector<double> sum(space_.axes.size()), seen(space_.axes.size());
    const std::vector<double> before = assignment_.values;
    for (int sample = 0; sample < kSamples; ++sample) {
      AxisSet now = known;
      while (assignment_.derive(now, diagnostics_) == Assigned::good && now != assignment_.all()) {
        const std::size_t axis = assignment_.next(now, assignment_.all());
        const std::vector<double>* domain = assignment_.domain(axis, diagnostics_);
        if (domain == nullptr || domain->empty()) break;
        sum[axis] += static_cast<double>(domain->size());
        seen[axis] += 1;
        assignment_.values[axis] = (*domain)[random_() % domain->size()];
        now |= axis_bit(axis);
      }
      assignment_.values = before;
    }
    for (std::size_t a = 0; a < sum.size(); ++a) sum[a] = seen[a] > 0 ? sum[a] / seen[a] : 1;
    return sum;
  }

  /// All candidates with the known values: axes that decide the structure get values until one structure is left.
  bool explore(AxisSet known) {
    const Assigned derived = assignment_.derive(known, diagnostics_);
    if (derived != Assigned::good) return derived == Assigned::empty;
    const std::vector<double> before = assignment_.values;
    const Assigned sample = complete(known);
    Planned* const planned = sample == Assigned::good ? find() : nullptr;
    assignment_.values = before;
    if (planned == nullptr) return sample == Assigned::empty;
    const AxisSet open = planned->guarded & ~known;
    if (open == 0) return evaluate(*planned, known);
    const std::size_t axis = assignment_.next(known, open);
    const std::vector<double> domain = *assignment_.domain(axis, diagnostics_);
    for (const double value : domain) {
      assignment_.values[axis] = value;
      if (!explore(known | axis_bit(axis))) return false;
    }
    assignment_.values = before;
    return true;
  }

  std::vector<double> candidate() const {
    std::vector<double> out;
    for (const std::size_t axis : free_.axes) out.push_back(assignment_.values[axis]);
    return out;
  }

  Planned* find() {
    const std::vector<double> sample = candidate();
    for (auto p = all_.rbegin(); p != all_.rend(); ++p) {
      if ((*p)->structure.covers(sample)) return p->get();
    }
    Trace traced = Structure::trace_or_refuse(*space_.run, question_, sample, shared_);
    if (!request_.refused_by.empty()) keep_refused(traced, request_.refused_by);
    all_.push_back(std::make_unique<Planned>(std::move(traced)));
    Planned& planned = *all_.back();
    planned.guarded = guarded(planned.trace);
    for (const Trace::Check& check : planned.trace.checks) planned.reasons.push_back(reason_of(check));
    return &planned;
  }

  /// The axes whose values decide whether a candidate has the trace's structure.
  AxisSet guarded(const Trace& trace) {
    std::map<AxisSet, std::vector<Tape::Guard>> by_axes;  // with what these read
    for (const Tape::Guard& guard : trace.tape.guards()) by_axes[with_read(space_, axes_of(trace, free_, guard.condition))].push_back(guard);
    AxisSet out = 0;
    for (const auto& [axes, guards] : by_axes) {
      if ((axes & ~out) != 0 && !always(trace, guards, axes)) out |= axes;
    }
    return out;
  }

  /// Whether guards hold for all values that these axes can take together.
  bool always(const Trace& trace, const std::vector<Tape::Guard>& guards, AxisSet axes) {
    const std::vector<std::vector<double>>* const all = combinations_.of(axes);
    if (all == nullptr) return false;
    std::vector<std::vector<double>> inputs, results(guards.size(), std::vector<double>(all->size()));
    std::vector<const double*> in;
    std::vector<double*> out;
    std::vector<Scalar> conditions;
    for (const std::size_t a : free_.axes) {
      std::vector<double>& column = inputs.emplace_back();
      for (const auto& values : *all) column.push_back(values[a]);
      in.push_back(column.data());
    }
    for (std::size_t g = 0; g < guards.size(); ++g) {
      conditions.push_back(guards[g].condition);
      out.push_back(results[g].data());
    }
    Kernel(trace.tape, conditions).run(in, out, all->size());
    for (std::size_t g = 0; g < guards.size(); ++g) {
      if (std::any_of(results[g].begin(), results[g].end(), [&](double result) { return result != guards[g].value; })) return false;
    }
    return true;
  }

  /// The candidates of one structure with these values, later.
  bool evaluate(Planned& planned, AxisSet known) {
    std::unique_ptr<Plan>& plan = planned.plans[known];
    if (plan == nullptr) plan = std::make_unique<Plan>(planned.trace, question_.outputs.size(), space_, known, sizes(known));
    return parts_->add({plan.get(), &planned.reasons, &planned.trace.metrics, stretch_, assignment_.values, known}, diagnostics_);
  }

  Space& space_;
  const SweepRequest& request_;
  Diagnostics& diagnostics_;
  Assignment assignment_;
  Combinations combinations_;
  FreeAxes free_;
  std::shared_ptr<const Stretch> stretch_;  ///< Whose parts are being made.
  Question question_;
  Structure::Shared shared_;
  std::mt19937_64 random_;  ///< The same in every run.
  std::vector<std::unique_ptr<Planned>> all_;
  SweepResult result_;
  Assembly assembly_;
  std::optional<PartQueue> parts_;
};

}  // namespace

std::uint64_t most_of_stretch(std::uint64_t total, bool listed, bool shared) {
  constexpr std::uint64_t kFewest = 1 << 10, kMost = 1 << 18, kMostHeld = 1 << 15, kShares = 16;
  if (!listed && !shared) return kMostCandidates;
  const std::uint64_t most = listed ? kMostHeld : kMost;
  return total == 0 ? most : std::clamp(total / kShares, kFewest, most);
}

std::optional<SweepResult> sweep(Space& space, const SweepRequest& request, Diagnostics& diagnostics) {
  std::optional<tbb::global_control> limit;
  if (request.jobs > 0) limit.emplace(tbb::global_control::max_allowed_parallelism, request.jobs);
  Sweep all(space, request, diagnostics);
  if (!all.run()) return std::nullopt;
  return all.take();
}

}  // namespace opledger
