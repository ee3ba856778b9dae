#include "search/processes/discovery.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/packing.h"
#include "search/processes/messages.h"
#include "search/sweep/packed_trace.h"
#include "search/sweep/partitioner.h"

namespace opledger {
namespace {

constexpr std::size_t kMaxTraces = 1024, kMaxPartitions = 4096;

/// Returns the range of the whole space, with no axis fixed.
CandidateRange whole_space(const Space& space) {
  CandidateRange out;
  for (const SpaceAxis& axis : space.axes) out.values.push_back(any_value(axis));
  return out;
}

}  // namespace

/// Records the traces of the whole space on idle ranks, before ranges are handed out. A trace is the program recorded
/// while one candidate is evaluated; many candidates share a trace. The partitioner runs over one range with every
/// candidate, and asks this object for each trace (`expect`, `take`). Its partitions are only counted. Errors of
/// domains are ignored here, because followers report them when they search.
///
/// Spaces with stopping axes are skipped: most of their traces belong to values after a stop and are never needed. The
/// search for traces ends early at kMaxTraces traces or kMaxPartitions partitions. Replies in transit are then awaited,
/// because the leader's next loop does not expect traces. `found_` receives all traces, packed for followers.
void Discovery::run(Diagnostics& diagnostics) {
  const Stops stops(space_);
  if (!stops.none()) return;
  const FreeAxes free(space_);
  TraceCache cache(space_, free, query_, request_.refused_by);
  cache.prefetch_with(*this);
  cache_ = &cache;
  Assignment assignment(space_, &stops);
  Diagnostics ignored;
  Partitioner partitioner(stops, free, assignment, ignored);
  std::size_t partitions = 0;
  const auto take = [&](const Partition&) { return ++partitions < kMaxPartitions; };
  partitioner.run(whole_space(space_), cache, take, [&] {
    distribute();
    return goes_on() && cache.size() < kMaxTraces;
  });
  expected_.clear();
  while (!at_work_.empty() && goes_on()) {
    if (!handle_message()) wait_briefly();
  }
  if (failed_) diagnostics.add(*failed_);
  for (const auto& trace : cache.all()) found_.push_back(packed(*trace));
}

void Discovery::send_traces(int rank) {
  if (!informed_.insert(rank).second) return;
  for (const std::string& packed : found_) ranks_.send(rank, messages::kKnown + packed);
}

void Discovery::expect(const Candidate& candidate) {
  if (!contains(expected_, candidate) && traced_.count(candidate) == 0 && !in_progress(candidate)) expected_.push_back(candidate);
}

/// Returns the trace of a candidate as soon as a rank has sent it, and removes it from `traced_`, the finished traces.
/// The leader does not wait idly: it records traces of `expected_` itself. `expected_` is a stack of requests that no
/// rank has begun; its last candidate is needed first. Returns nothing if no rank records the trace, or if discovery
/// ends. The caller then records the trace.
std::optional<NumberedTrace> Discovery::take(const Candidate& candidate) {
  while (goes_on()) {
    distribute();
    if (const auto found = traced_.find(candidate); found != traced_.end()) {
      NumberedTrace out = std::move(found->second);
      traced_.erase(found);
      return out;
    }
    if (!in_progress(candidate)) break;
    if (expected_.empty()) {
      wait_briefly();
      continue;
    }
    const Candidate next = std::move(expected_.back());
    expected_.pop_back();
    traced_.emplace(next, cache_->trace(next));
  }
  forget(candidate);
  return std::nullopt;
}

void Discovery::forget(const Candidate& candidate) {
  expected_.erase(std::remove(expected_.begin(), expected_.end(), candidate), expected_.end());
  traced_.erase(candidate);
}

bool Discovery::in_progress(const Candidate& candidate) const {
  return std::any_of(at_work_.begin(), at_work_.end(), [&](const auto& work) { return work.second == candidate; });
}

/// Handles the next message of a follower, without waiting. Returns false if none has arrived. An idle rank joins the
/// queue `idle_`. A trace belongs to the candidate that `at_work_` has for the rank, and moves to `traced_`. Any other
/// message sets `failed_`, which ends discovery: a failed rank, a rank that leaves, or malformed bytes.
bool Discovery::handle_message() {
  const std::optional<Ranks::Message> message = ranks_.receive();
  if (!message) return false;
  const char kind = messages::kind(message->bytes);
  const auto work = at_work_.find(message->from);
  if (kind == messages::kIdle) {
    idle_.push_back(message->from);
  } else if (kind == messages::kTraced && work != at_work_.end()) {
    if (std::optional<NumberedTrace> traced = unpack_trace(messages::content(message->bytes), query_))
      traced_.emplace(work->second, std::move(*traced));
    else
      failed_ = messages::failure_from({message->from, {}});
    at_work_.erase(work);
  } else {
    failed_ = messages::failure_from(*message);
  }
  return true;
}

/// Handles all messages that have arrived, then sends expected candidates to idle ranks. The last expected candidate is
/// needed first, and goes to the rank that has been idle longest.
void Discovery::distribute() {
  while (goes_on() && handle_message()) continue;
  for (; !idle_.empty() && !expected_.empty(); idle_.pop_front(), expected_.pop_back()) {
    Packer candidate;
    candidate.put(expected_.back());
    ranks_.send(idle_.front(), messages::kTrace + candidate.take());
    at_work_[idle_.front()] = expected_.back();
  }
}

}  // namespace opledger
