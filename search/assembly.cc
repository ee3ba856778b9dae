#include "search/assembly.h"

namespace opledger {
Tally empty_tally(const SweepRequest& request) {
  Tally out;
  out.sums.resize(request.sums.size());
  std::vector<bool> most;
  for (const FrontMetric& metric : request.front) most.push_back(metric.most);
  out.front = Front(std::move(most));
  return out;
}

Assembly::Assembly(const Space& space, const SweepRequest& request, Assignment& order, Tally& all)
    : request_(request), ranking_{request.top, space.maximise}, order_(order), all_(all) {
  all_ = request.before ? *request.before : empty_tally(request);
  rows_.axes = space.axes.size();
  rows_.metrics = request.metrics.size();
}

bool Assembly::add(const std::shared_ptr<const Stretch>& stretch, const std::vector<std::string>& reasons, PartResult&& part, Diagnostics& diagnostics) {
  if (stretch != stretch_) {
    if (!close(diagnostics)) return false;
    stretch_ = stretch;
    some_ = empty_tally(request_);
  }
  Tally tally{part.candidates, part.feasible, {}, std::move(part.sums), std::move(part.best), std::move(part.front)};
  for (std::size_t c = 0; c < part.refused.size(); ++c) {
    if (part.refused[c] != 0) tally.infeasible[reasons[c]] += part.refused[c];
  }
  ++parts_;
  opledger::add(some_, std::move(tally), ranking_, order_, diagnostics);
  rows_.append(part.rows);
  return !diagnostics.failed();
}

bool Assembly::finish(Diagnostics& diagnostics) { return close(diagnostics); }

SweepStatus Assembly::status() const {
  SweepStatus out{all_.candidates + some_.candidates, 0, {}};
  for (const Tally* tally : {static_cast<const Tally*>(&all_), &some_}) {
    if (!tally->best.empty() && (!out.best || (ranking_.most ? tally->best[0].score > *out.best : tally->best[0].score < *out.best)))
      out.best = tally->best[0].score;
  }
  return out;
}

bool Assembly::close(Diagnostics& diagnostics) {
  if (stretch_ == nullptr) return true;
  const bool complete = some_.candidates == stretch_->candidates;
  const std::shared_ptr<const Stretch> stretch = std::move(stretch_);
  Tally some = some_;
  opledger::add(all_, std::move(some_), ranking_, order_, diagnostics);
  some_ = empty_tally(request_);
  rows_.sort();
  if (complete && request_.rows && !request_.rows({*stretch, some, all_, rows_}, diagnostics)) return false;
  rows_ = FoundRows{rows_.axes, rows_.metrics, 0, {}, {}, {}};
  return !diagnostics.failed();
}

}  // namespace opledger
