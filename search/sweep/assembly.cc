#include "search/sweep/assembly.h"

#include <numeric>

namespace opledger {
Tally empty_tally(const SweepRequest& request) {
  Tally out;
  out.sums.resize(request.sums.size());
  std::vector<bool> maximize;
  for (const FrontMetric& metric : request.front) maximize.push_back(metric.maximize);
  out.front = Front(std::move(maximize));
  return out;
}

Assembly::Assembly(const Space& space, const SweepRequest& request, Assignment& order, Tally& all)
    : request_(request), ranking_{request.top, space.maximize}, order_(order), all_(all), stops_(first_stop(space) < space.axes.size()) {
  all_ = request.before ? *request.before : empty_tally(request);
  rows_.axes = space.axes.size();
  rows_.metrics = request.metrics.size();
}

bool Assembly::begin(const std::shared_ptr<const CandidateRange>& range, Diagnostics& diagnostics) {
  if (range == range_) return true;
  if (!close(diagnostics)) return false;
  range_ = range;
  range_tally_ = empty_tally(request_);
  return true;
}

bool Assembly::add(const PartitionGroup& group, std::vector<GroupResult>&& shares, Diagnostics& diagnostics) {
  if (!begin(group.range, diagnostics)) return false;
  ++groups_;
  for (GroupResult& share : shares) add_share(group, std::move(share), diagnostics);
  return !diagnostics.has_errors();
}

/// Adds one share to the tally of the current range. Refusals are counted by reason; several checks can have the same
/// reason.
void Assembly::add_share(const PartitionGroup& group, GroupResult&& found, Diagnostics& diagnostics) {
  const std::uint64_t feasible = std::accumulate(found.feasible.begin(), found.feasible.end(), std::uint64_t{0});
  Tally tally{found.candidates, feasible, 0, {}, std::move(found.sums), std::move(found.best), std::move(found.front)};
  for (std::size_t s = 0; s < group.variants.size(); ++s) {
    const std::vector<std::uint64_t>& refused = found.refused[s];
    for (std::size_t c = 0; c < refused.size(); ++c) {
      if (refused[c] != 0) tally.infeasible[group.variants[s].trace->reasons[c]] += refused[c];
    }
  }
  opledger::add(range_tally_, std::move(tally), ranking_, order_, diagnostics);
  rows_.append(found.rows);
}

bool Assembly::finish(Diagnostics& diagnostics) { return close(diagnostics); }

SweepStatus Assembly::status() const {
  SweepStatus out{all_.candidates + all_.skipped + range_tally_.candidates, 0, {}};
  for (const Tally* tally : {static_cast<const Tally*>(&all_), &range_tally_}) {
    if (!tally->best.empty() && (!out.best || (ranking_.maximize ? tally->best[0].score > *out.best : tally->best[0].score < *out.best)))
      out.best = tally->best[0].score;
  }
  return out;
}

bool Assembly::accept(const CandidateRange& range, Tally tally, const CandidateRows& rows, Diagnostics& diagnostics) {
  Tally copy = tally;  // the merge consumes a tally, and the callback reads the range's own tally afterwards
  opledger::add(all_, std::move(copy), ranking_, order_, diagnostics);
  return (!request_.rows || request_.rows({range, tally, all_, rows}, diagnostics)) && !diagnostics.has_errors();
}

/// Ends the current candidate range, `range_`. Its tally (counts, sums, best candidates) and its rows were merged from
/// the groups of the range. A range is complete once each of its candidates is counted or skipped. An axis with `stops`
/// skips its values after the first value without a feasible candidate; candidates without a result therefore count as
/// skipped, unless the search was interrupted. The rows of a complete range are sorted, and the range is reported
/// (`accept`). An incomplete range is only added to the total; a search that lists rows drops the range, because a
/// resumed search repeats it. Returns false, with an error, if rows can't be written or candidates can't be ordered.
bool Assembly::close(Diagnostics& diagnostics) {
  if (range_ == nullptr) return true;
  const std::shared_ptr<const CandidateRange> range = std::move(range_);
  range_ = nullptr;
  Tally tally = std::move(range_tally_);
  range_tally_ = empty_tally(request_);
  CandidateRows rows = std::move(rows_);
  rows_ = CandidateRows{rows.axes, rows.metrics, 0, {}, {}, {}};
  if (stops_ && !request_.stopped()) tally.skipped = range->candidates - tally.candidates;
  if (tally.candidates + tally.skipped == range->candidates) {
    rows.sort();
    return accept(*range, std::move(tally), rows, diagnostics);
  }
  if (!request_.list) opledger::add(all_, std::move(tally), ranking_, order_, diagnostics);
  return !diagnostics.has_errors();
}

}  // namespace opledger
