#include "search/sweep.h"

#include <fmt/core.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <memory>
#include <random>

#include "search/combinations.h"

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
      : space_(space), request_(request), diagnostics_(diagnostics), assignment_(space), combinations_(space), free_(space), question_(question_of(space)) {
    question_.outputs = {space.objective};
    question_.outputs.insert(question_.outputs.end(), request.sums.begin(), request.sums.end());
    question_.constraints = true;
    result_.sums.resize(request.sums.size());
    for (const std::size_t axis : free_.axes) {
      if (const std::vector<double>* values = combinations_.values(space, axis)) shared_.candidates.values[space.axes[axis].input] = *values;
    }
  }

  bool run() {
    if (!explore(0) || !run_parts()) return false;
    if (result_.candidates == 0) return tell_why_none();
    result_.structures = all_.size();
    return true;
  }

  SweepResult take() { return std::move(result_); }

 private:
  bool tell_why_none() {
    for (std::size_t a = 0; a < space_.axes.size(); ++a) {
      if (!assignment_.domains.always_empty(a)) continue;
      diagnostics_.error(space_.axes[a].span, fmt::format("axis `{}` has no value{}", space_.axes[a].input->name,
                                                          space_.axes[a].where != nullptr ? ": its `where` leaves none" : ""));
      return false;
    }
    diagnostics_.error({}, "the space has no candidate: wherever one axis has values, another has none");
    return false;
  }

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
    all_.push_back(std::make_unique<Planned>(Structure::trace_or_refuse(*space_.run, question_, sample, shared_)));
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

  static std::string reason_of(const Trace::Check& check) {
    if (!check.reason.empty()) return check.reason;
    std::string out;
    for (const Trace::Text& part : check.message) {
      out += part.text;
      if (!part.has_value) continue;
      out += part.value.scalar.constant() ? human(part.value, part.digits) : "{" + part.formula + "}";
    }
    return out;
  }

  /// The candidates of one structure with these values, later.
  bool evaluate(Planned& planned, AxisSet known) {
    std::unique_ptr<Plan>& plan = planned.plans[known];
    if (plan == nullptr) plan = std::make_unique<Plan>(planned.trace, question_.outputs.size(), space_, known, sizes(known));
    parts_.push_back({&planned, plan.get(), assignment_.values, known, {}, {}});
    return parts_.size() < kPartsAtOnce || run_parts();
  }

  /// Parts are evaluated in any order and put together in theirs, so that nothing depends on how many are at work.
  bool run_parts() {
    tbb::parallel_for(std::size_t{0}, parts_.size(), [&](std::size_t i) {
      Part& part = parts_[i];
      std::unique_ptr<PartRunner>& runner = runners_.local();
      if (runner == nullptr) runner = std::make_unique<PartRunner>(space_, free_, request_);
      part.result = runner->run(*part.plan, part.values, part.known, part.diagnostics);
    });
    for (Part& part : parts_) {
      diagnostics_.append(std::move(part.diagnostics));
      if (!part.result || !has_metrics(*part.planned, *part.result)) return false;
      add(*part.planned, *part.result);
    }
    parts_.clear();
    return true;
  }

  /// A metric without a value for the candidate that was traced may have been so because that one is refused; of a feasible one it would be told as 0.
  bool has_metrics(const Planned& planned, const PartResult& part) {
    for (std::size_t m = 0; m < question_.outputs.size() && part.feasible > 0; ++m) {
      if (planned.trace.metrics[m].kind != Value::Kind::nothing) continue;
      diagnostics_.error({}, fmt::format("`{}` has no value for some feasible candidates", question_.outputs[m]));
      return false;
    }
    return true;
  }

  void add(const Planned& planned, const PartResult& part) {
    ++result_.parts;
    result_.candidates += part.candidates;
    result_.feasible += part.feasible;
    for (std::size_t c = 0; c < part.refused.size(); ++c) {
      if (part.refused[c] != 0) result_.infeasible[planned.reasons[c]] += part.refused[c];
    }
    for (std::size_t m = 0; m < part.sums.size(); ++m) result_.sums[m] += part.sums[m];
    for (const Found& found : part.best) keep_best(result_.best, found, request_.top, space_.maximise, assignment_, diagnostics_);
  }

  /// Candidates with one structure and some values in common.
  struct Part {
    const Planned* planned;
    const Plan* plan;
    std::vector<double> values;
    AxisSet known;
    Diagnostics diagnostics;
    std::optional<PartResult> result;
  };
  static constexpr std::size_t kPartsAtOnce = 1024;

  Space& space_;
  const SweepRequest& request_;
  Diagnostics& diagnostics_;
  Assignment assignment_;
  Combinations combinations_;
  FreeAxes free_;
  tbb::enumerable_thread_specific<std::unique_ptr<PartRunner>> runners_;
  std::vector<Part> parts_;
  Question question_;
  Structure::Shared shared_;
  std::mt19937_64 random_;  ///< The same in every run.
  std::vector<std::unique_ptr<Planned>> all_;
  SweepResult result_;
};

}  // namespace

std::optional<SweepResult> sweep(Space& space, const SweepRequest& request, Diagnostics& diagnostics) {
  std::optional<tbb::global_control> limit;
  if (request.jobs > 0) limit.emplace(tbb::global_control::max_allowed_parallelism, request.jobs);
  Sweep all(space, request, diagnostics);
  if (!all.run()) return std::nullopt;
  return all.take();
}

}  // namespace opledger
