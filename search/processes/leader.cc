#include <algorithm>
#include <deque>
#include <map>

#include "base/packing.h"
#include "search/processes/discovery.h"
#include "search/processes/messages.h"
#include "search/processes/shared_search.h"
#include "search/space/candidate_ranges.h"
#include "search/sweep/assembly.h"

namespace opledger {
namespace {

constexpr std::uint64_t kMostOfRange = 16;  // candidate ranges in one request

/// The state of the leader: ranges to hand out, ranges in progress, and results that wait for earlier ones.
class Leader {
 public:
  Leader(Space& space, const SweepRequest& request, Ranks& ranks, Diagnostics& diagnostics)
      : space_(space),
        request_(request),
        ranks_(ranks),
        diagnostics_(diagnostics),
        ranges_(space),
        order_(space),
        assembly_(space, request, order_, result_),
        discovery_(space, request, ranks) {}

  /// Runs the leader's side of a search. Ranges of the space are generated one by one; a resumed search skips the
  /// ranges that are stored already. Traces are found first, by all ranks together. Then a loop handles one message,
  /// hands out ranges to idle ranks, and assembles results in the order of the space. The loop ends when every range is
  /// assembled. After an interruption the result is partial. Returns false, with errors, if a rank fails or the space
  /// has no candidates. `upcoming_` is the next range to hand out; `pending_` has the ranges without an assembled
  /// result.
  bool run() {
    const std::optional<std::uint64_t> total = ranges_.total(diagnostics_);
    if (!total) return false;
    total_ = *total;
    most_ = max_range_size(total_, request_, first_stop(space_) < space_.axes.size());
    ranges_.limit_candidates(most_);
    ranges_.keep_together_before(first_stop(space_));
    upcoming_ = ranges_.next(diagnostics_);
    while (upcoming_ && upcoming_->number < request_.first) upcoming_ = ranges_.next(diagnostics_);
    if (upcoming_) discovery_.run(diagnostics_);
    idle_ = discovery_.idle();
    result_.traces = discovery_.traces();
    while (!request_.stopped() && !diagnostics_.has_errors() && (upcoming_ || !pending_.empty())) {
      const bool received = handle_message();
      hand_out();
      assemble();
      if (!received) wait_briefly();
    }
    if (diagnostics_.has_errors()) return false;
    result_.partial = upcoming_ || !pending_.empty();
    if (result_.candidates == 0 && !result_.partial) {
      ranges_.report_why_empty(diagnostics_);
      return false;
    }
    return true;
  }

  SweepResult take() { return std::move(result_); }

 private:
  /// Handles one message. Returns false if none had arrived.
  bool handle_message() {
    std::optional<Ranks::Message> message = ranks_.receive();
    if (!message) return false;
    const char kind = messages::kind(message->bytes);
    if (kind == messages::kIdle) {
      idle_.push_back(message->from);
    } else if (std::optional<messages::Report> report = kind == messages::kFound ? messages::unpack_report(messages::content(message->bytes)) : std::nullopt) {
      found_.emplace(report->number, std::move(*report));
    } else {
      diagnostics_.add(messages::failure_from(*message));
    }
    return true;
  }

  /// Sends ranges to idle ranks, the longest idle first. A request has a quarter of a rank's fair share of the space,
  /// at least 1 and at most kMostOfRange ranges: small requests balance the load between fast and slow ranks. `total_`
  /// candidates over `most_` candidates of a range give the number of ranges; an unknown total (0) gives requests of
  /// one range. The message has the numbers of the first range and of the first range after the request. Traces found
  /// so far are sent first, once to each rank. `pending_` has the ranges handed out and not yet assembled. Its length
  /// is bounded, because results that wait for an earlier range stay in memory.
  void hand_out() {
    const auto others = static_cast<std::uint64_t>(ranks_.size() - 1);
    while (!idle_.empty() && upcoming_ && pending_.size() < others * kMostOfRange * 2) {
      const std::uint64_t share = total_ / most_ / (4 * others);
      Packer out;
      out.put(upcoming_->number);
      for (std::uint64_t n = std::clamp<std::uint64_t>(share, 1, kMostOfRange); n > 0 && upcoming_; --n) {
        pending_.push_back(std::move(*upcoming_));
        upcoming_ = ranges_.next(diagnostics_);
      }
      out.put(pending_.back().number + 1);
      discovery_.send_traces(idle_.front());
      ranks_.send(idle_.front(), messages::kSearch + out.take());
      idle_.pop_front();
    }
  }

  /// Merges results in the order of the space, so that the answer does not depend on the order of arrival. `found_` has
  /// the reports by number of the range, `pending_` the ranges without an assembled result, in order. The loop ends at
  /// the first range whose report is missing. A report with wrong sizes is an error: its rows must fit the columns, and
  /// its counts must add up to the candidates of the range. The progress is reported after each range.
  void assemble() {
    for (auto report = found_.begin(); report != found_.end() && !pending_.empty() && report->first == pending_.front().number; report = found_.begin()) {
      Tally some = empty_tally(request_);
      CandidateRows rows = std::move(report->second.rows);
      rows.axes = space_.axes.size();
      rows.metrics = request_.metrics.size();
      const bool good = unpack(report->second.tally, rows.axes, some) && (rows.values.size() == rows.count * rows.axes) &&
                        rows.costs.size() == rows.count * rows.metrics && some.candidates + some.skipped == pending_.front().candidates;
      if (!good) diagnostics_.error({}, "a rank sent a malformed message");
      if (!good || !assembly_.accept(pending_.front(), std::move(some), rows, diagnostics_)) return;
      pending_.pop_front();
      found_.erase(report);
      ++result_.groups;
      if (!request_.watch) continue;
      SweepStatus status = assembly_.status();
      status.total = total_;
      request_.watch(status);
    }
  }

  Space& space_;
  const SweepRequest& request_;
  Ranks& ranks_;
  Diagnostics& diagnostics_;
  CandidateRanges ranges_;
  Assignment order_;
  SweepResult result_;
  Assembly assembly_;
  Discovery discovery_;
  std::uint64_t total_ = 0, most_ = 0;
  std::optional<CandidateRange> upcoming_;  ///< The next range to hand out; empty at the end.
  std::deque<int> idle_;
  std::deque<CandidateRange> pending_;  ///< Ranges handed out whose results are not assembled yet.
  /// Results that wait for earlier ranges, by number of the range.
  std::map<std::uint64_t, messages::Report> found_;
};

}  // namespace

std::optional<SweepResult> lead(Space& space, const SweepRequest& request, Ranks& ranks, Diagnostics& diagnostics) {
  Leader leader(space, request, ranks, diagnostics);
  return leader.run() ? std::optional(leader.take()) : std::nullopt;
}

void dismiss(Ranks& ranks) {
  for (int rank = 1; rank < ranks.size(); ++rank) ranks.send(rank, std::string(1, messages::kEnd));
}

}  // namespace opledger
