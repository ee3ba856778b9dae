#include "search/sweep/sweep.h"

#include <fmt/core.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <memory>

#include "search/space/stretches.h"
#include "search/sweep/group_builder.h"
#include "search/sweep/group_queue.h"

/// A space is gone through stretch by stretch, in its order, and a stretch by structures: it is divided into regions of one structure each, and those of
/// variants are a group with a plan, for threads to evaluate meanwhile. Where an axis stops, the stretch is gone through once more for it, before, only to find the values
/// with which something is feasible.
namespace opledger {
namespace {

const std::string kAnyReason;

class Sweep {
 public:
  Sweep(Space& space, const SweepRequest& request, Diagnostics& diagnostics)
      : space_(space),
        request_(request),
        diagnostics_(diagnostics),
        stops_(space),
        assignment_(space, &stops_),
        free_(space),
        partitioner_(stops_, free_, assignment_, diagnostics),
        builder_(space, free_, stops_, assignment_, diagnostics),
        query_(question_of(space, request)),
        assembly_(space, request, assignment_, result_) {
    const std::vector<std::string> outputs(query_.outputs.begin(), query_.outputs.end() - static_cast<std::ptrdiff_t>(request.single_metrics.size()));
    listed_outputs_ = outputs.size();
    queue_.emplace(space, free_, stops_, request, outputs, assembly_);
    Question feasible = question_of(space);
    feasible.constraints = true;
    traces_ = std::make_shared<KnownStructures>(space, free_, query_, request.refused_by);
    stop_traces_.emplace(space, free_, std::move(feasible), kAnyReason);
  }

  bool run() {
    Stretches stretches(space_);
    const std::optional<std::uint64_t> total = stretches.total(diagnostics_);
    if (!total) return false;
    queue_->total = *total;
    stretches.cut_at(most_of_stretch(*total, request_, !stops_.none()));
    stretches.cut_before(first_stop(space_));
    for (std::optional<StretchRange> range = first_range(); range; range = request_.ranges ? request_.ranges(*traces_) : std::nullopt) {
      const bool all = explore(stretches, *range);
      if (diagnostics_.has_errors() || !queue_->run(diagnostics_) || !assembly_.finish(diagnostics_) || !all) break;
    }
    if (diagnostics_.has_errors() || !assembly_.finish(diagnostics_)) return false;
    result_.partial = request_.stopped();
    if (result_.candidates == 0 && !result_.partial && !request_.ranges) {
      stretches.tell_why_none(diagnostics_);
      return false;
    }
    traces_->cancel_prefetches();
    result_.structures = traces_->size();
    result_.known = traces_;
    result_.parts = assembly_.groups();
    return true;
  }

  std::optional<StretchRange> first_range() const {
    return request_.ranges ? request_.ranges(*traces_) : std::optional<StretchRange>({request_.first, kMostCandidates});
  }

  bool explore(Stretches& stretches, const StretchRange& range) {
    while (std::optional<Stretch> stretch = stretches.made() < range.to ? stretches.next(diagnostics_) : std::nullopt) {
      if (stretch->number < range.from) continue;
      stretch_ = std::make_shared<const Stretch>(std::move(*stretch));
      if (!(stops_.none() ? explore() : explore_stops())) return false;
    }
    return !diagnostics_.has_errors();
  }

  SweepResult take() { return std::move(result_); }

 private:
  /// The stretch once for each axis that stops, and then what they leave of it.
  bool explore_stops() {
    stops_.begin();
    for (stop_ = stops_.next(); stop_; stop_ = stops_.next()) {
      if (!explore() || !queue_->run(diagnostics_) || request_.stopped()) return false;
      stops_.settle();
    }
    return assembly_.begin(stretch_, diagnostics_) && explore() && queue_->run(diagnostics_) && assembly_.finish(diagnostics_);
  }

  bool explore() {
    KnownStructures& traces = stop_ ? *stop_traces_ : *traces_;
    const auto take = [this](PartitionGroup group) { return queue_->add(std::move(group), diagnostics_); };
    builder_.begin(stretch_, stop_, listed_outputs_, traces_->values());
    const auto goes_on = [&] { return !request_.stopped(); };
    return partitioner_.run(
               *stretch_, traces, [&](Piece piece) { return builder_.add(std::move(piece), take); }, goes_on) &&
           builder_.finish(take);
  }

  Space& space_;
  const SweepRequest& request_;
  Diagnostics& diagnostics_;
  Stops stops_;
  std::optional<std::size_t> stop_;  ///< The axis that is looked at; empty: none.
  Assignment assignment_;
  FreeAxes free_;
  Division partitioner_;
  GroupBuilder builder_;
  std::shared_ptr<const Stretch> stretch_;  ///< Whose parts are being made.
  Question query_;
  std::size_t listed_outputs_ = 0;  ///< Outputs of the question, the first, that are wanted of every candidate.
  std::shared_ptr<KnownStructures> traces_;
  std::optional<KnownStructures> stop_traces_;  ///< Whatever candidates are outputs for, axes stop where none is feasible.
  SweepResult result_;
  Assembly assembly_;
  std::optional<GroupQueue> queue_;
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
