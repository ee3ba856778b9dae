#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "search/processes/ranks.h"
#include "search/sweep/sweep_request.h"
#include "search/sweep/trace_cache.h"

/// A search for the traces of a space, so that each is traced once for all processes.
namespace opledger {

/// Returns the first number of a rank's tapes: ranks number tapes in disjoint ranges of 2^32.
inline std::uint64_t first_tape(int rank) { return static_cast<std::uint64_t>(rank) << 32; }

/// A recorder of traces, run by the leader. Idle followers trace the candidates that the partitioner is about to need;
/// the leader traces too while it would wait.
class Discovery : public TracePrefetcher {
 public:
  Discovery(Space& space, const SweepRequest& request, Ranks& ranks) : space_(space), request_(request), ranks_(ranks) {}

  /// Partitions the whole space, which records its traces. Ends when every trace is known; early at 1,024 traces or 4,096
  /// partitions, because followers then trace on demand more cheaply, or after an interruption; or with an error if a rank
  /// fails. Does nothing for a space with stopping axes.
  void run(Diagnostics& diagnostics);

  const std::deque<int>& idle() const { return idle_; }  ///< Ranks without work, longest idle first.
  /// Returns the number of traces found.
  std::size_t traces() const { return found_.size(); }
  /// Sends every trace to a rank once. Traces that the rank traced itself are included, because the leader
  /// doesn't use every trace.
  void send_traces(int rank);

  /// The interface of a prefetcher (trace_cache.h): requests a trace, waits for a trace, withdraws a request.
  void expect(const std::vector<double>& candidate) override;
  std::optional<NumberedTrace> take(const std::vector<double>& candidate) override;
  void forget(const std::vector<double>& candidate) override;

 private:
  using Candidate = std::vector<double>;

  /// Returns whether discovery continues: no rank has failed, and the search is not interrupted.
  bool goes_on() const { return !failed_ && !request_.stopped(); }
  /// Handles one message. Returns false if none had arrived.
  bool handle_message();
  /// Handles messages until none is left, then sends expected candidates to idle ranks.
  void distribute();
  /// Returns whether some rank is tracing the candidate.
  bool in_progress(const Candidate& candidate) const;

  Space& space_;
  const SweepRequest& request_;
  Ranks& ranks_;
  const Query query_ = query_of(space_, request_);
  TraceCache* cache_ = nullptr;                ///< The cache of `run`, valid while the space is partitioned.
  std::optional<Diagnostic> failed_;           ///< Error of a rank that can't continue.
  std::deque<int> idle_;                       ///< Ranks without work, longest idle first.
  std::vector<Candidate> expected_;            ///< Candidates that no rank traces yet; the last is needed first.
  std::map<int, Candidate> at_work_;           ///< The candidate that each busy rank traces.
  std::map<Candidate, NumberedTrace> traced_;  ///< Traces that the partitioner hasn't taken yet.
  std::vector<std::string> found_;             ///< Packed traces, to send to followers.
  std::set<int> informed_;                     ///< Ranks that have received the traces.
};

}  // namespace opledger
