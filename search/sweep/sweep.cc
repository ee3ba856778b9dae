#include "search/sweep/sweep.h"

#include <fmt/core.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <memory>

#include "search/space/stretches.h"
#include "search/sweep/part_maker.h"
#include "search/sweep/part_queue.h"

/// A space is gone through stretch by stretch, in its order, and a stretch by structures: it is divided into regions of one structure each, and those of
/// siblings are a part with a plan, for threads to evaluate meanwhile. Where an axis stops, the stretch is gone through once more for it, before, only to find the values
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
        division_(stops_, free_, assignment_, diagnostics),
        maker_(space, free_, stops_, assignment_, diagnostics),
        question_(question_of(space, request)),
        assembly_(space, request, assignment_, result_) {
    const std::vector<std::string> asked(question_.outputs.begin(), question_.outputs.end() - static_cast<std::ptrdiff_t>(request.told.size()));
    asked_ = asked.size();
    parts_.emplace(space, free_, stops_, request, asked, assembly_);
    Question feasible = question_of(space);
    feasible.constraints = true;
    structures_ = std::make_shared<KnownStructures>(space, free_, question_, request.refused_by);
    structures_of_stops_.emplace(space, free_, std::move(feasible), kAnyReason);
  }

  bool run() {
    Stretches stretches(space_);
    const std::optional<std::uint64_t> total = stretches.total(diagnostics_);
    if (!total) return false;
    parts_->total = *total;
    stretches.cut_at(most_of_stretch(*total, request_, !stops_.none()));
    stretches.cut_before(first_stop(space_));
    for (std::optional<StretchRange> range = first_range(); range; range = request_.ranges ? request_.ranges(*structures_) : std::nullopt) {
      const bool all = explore(stretches, *range);
      if (diagnostics_.has_errors() || !parts_->run(diagnostics_) || !assembly_.finish(diagnostics_) || !all) break;
    }
    if (diagnostics_.has_errors() || !assembly_.finish(diagnostics_)) return false;
    result_.partial = request_.stopped();
    if (result_.candidates == 0 && !result_.partial && !request_.ranges) {
      stretches.tell_why_none(diagnostics_);
      return false;
    }
    structures_->expect_nothing();
    result_.structures = structures_->size();
    result_.known = structures_;
    result_.parts = assembly_.parts();
    return true;
  }

  std::optional<StretchRange> first_range() const {
    return request_.ranges ? request_.ranges(*structures_) : std::optional<StretchRange>({request_.first, kMostCandidates});
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
      if (!explore() || !parts_->run(diagnostics_) || request_.stopped()) return false;
      stops_.settle();
    }
    return assembly_.begin(stretch_, diagnostics_) && explore() && parts_->run(diagnostics_) && assembly_.finish(diagnostics_);
  }

  bool explore() {
    KnownStructures& structures = stop_ ? *structures_of_stops_ : *structures_;
    const auto take = [this](Part part) { return parts_->add(std::move(part), diagnostics_); };
    maker_.begin(stretch_, stop_, asked_, structures_->values());
    const auto goes_on = [&] { return !request_.stopped(); };
    return division_.run(
               *stretch_, structures, [&](Piece piece) { return maker_.add(std::move(piece), take); }, goes_on) &&
           maker_.finish(take);
  }

  Space& space_;
  const SweepRequest& request_;
  Diagnostics& diagnostics_;
  Stops stops_;
  std::optional<std::size_t> stop_;  ///< The axis that is looked at; empty: none.
  Assignment assignment_;
  FreeAxes free_;
  Division division_;
  PartMaker maker_;
  std::shared_ptr<const Stretch> stretch_;  ///< Whose parts are being made.
  Question question_;
  std::size_t asked_ = 0;  ///< Outputs of the question, the first, that are wanted of every candidate.
  std::shared_ptr<KnownStructures> structures_;
  std::optional<KnownStructures> structures_of_stops_;  ///< Whatever candidates are asked for, axes stop where none is feasible.
  SweepResult result_;
  Assembly assembly_;
  std::optional<PartQueue> parts_;
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
