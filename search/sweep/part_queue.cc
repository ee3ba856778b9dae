#include "search/sweep/part_queue.h"

#include <fmt/core.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/task_group.h>

#include <thread>
#include <utility>

#include "search/sweep/unvalued.h"

namespace opledger {
namespace {

constexpr std::size_t kPartsAtOnce = 1024;
constexpr std::uint64_t kStretchesAtOnce = 16;

}  // namespace

struct PartQueue::Threads {
  ~Threads() {
    group.cancel();
    group.wait();
  }

  tbb::enumerable_thread_specific<std::unique_ptr<PartRunner>> runners;
  tbb::task_group group;
};

PartQueue::PartQueue(Space& space, const FreeAxes& free, Stops& stops, const SweepRequest& request, std::vector<std::string> outputs, Assembly& assembly)
    : space_(space), free_(free), stops_(stops), request_(request), outputs_(std::move(outputs)), assembly_(assembly), threads_(std::make_unique<Threads>()) {}

PartQueue::~PartQueue() = default;

bool PartQueue::full(const Part& next) const {
  return waiting_.size() >= kPartsAtOnce || (!waiting_.empty() && next.stretch->number - waiting_.front().part.stretch->number >= kStretchesAtOnce);
}

bool PartQueue::add(Part part, Diagnostics& diagnostics) {
  if (full(part) && !run(diagnostics)) return false;
  tell();
  if (request_.stopped()) return false;
  Waiting& waiting = waiting_.emplace_back(std::move(part));
  threads_->group.run([this, &waiting, main = std::this_thread::get_id()] {
    evaluate(waiting);
    if (std::this_thread::get_id() == main) tell();
  });
  return true;
}

/// Makes its plan, if nobody has, and leaves its shares to whoever is idle.
void PartQueue::evaluate(Waiting& waiting) {
  if (request_.stopped()) return;
  const std::size_t shares = waiting.part.plan->get().shares().count;
  waiting.left = shares;
  waiting.shares.resize(shares);
  for (std::size_t share = 1; share < shares; ++share) threads_->group.run([this, &waiting, share] { evaluate(waiting, share); });
  evaluate(waiting, 0);
}

void PartQueue::evaluate(Waiting& waiting, std::size_t share) {
  if (request_.stopped()) return;
  std::unique_ptr<PartRunner>& runner = threads_->runners.local();
  if (runner == nullptr) runner = std::make_unique<PartRunner>(space_, free_, stops_, request_);
  Waiting::Share& own = waiting.shares[share];
  own.result = runner->run(waiting.part, share, own.diagnostics);
  if (own.result) waiting.left.fetch_sub(1, std::memory_order_release);
}

/// Of those that wait as many as would count if the search were stopped now.
void PartQueue::tell() {
  if (!request_.watch) return;
  for (; told_ < waiting_.size() && waiting_[told_].evaluated(); ++told_) {
    for (const Waiting::Share& share : waiting_[told_].shares) done_ += waiting_[told_].part.stop ? 0 : share.result->candidates;
  }
  SweepStatus status = assembly_.status();
  status.done += done_;
  status.total = total;
  request_.watch(status);
}

bool PartQueue::run(Diagnostics& diagnostics) {
  threads_->group.wait();
  const bool good = assemble(diagnostics);
  waiting_.clear();
  told_ = 0;
  done_ = 0;
  return good;
}

/// What lies behind one that was not evaluated any more is left out: a search that goes on later begins there.
bool PartQueue::assemble(Diagnostics& diagnostics) {
  for (Waiting& waiting : waiting_) {
    const Part& part = waiting.part;
    std::vector<PartResult> results;
    for (Waiting::Share& share : waiting.shares) {
      diagnostics.append(std::move(share.diagnostics));
      if (share.result) results.push_back(std::move(*share.result));
    }
    if (!waiting.evaluated()) return request_.stopped();
    for (const PartResult& result : results) {
      if (part.stop)
        stops_.add(result.with);
      else if (!has_metrics(part, result, diagnostics))
        return false;
    }
    if (!part.stop && !assembly_.add(part, std::move(results), diagnostics)) return false;
  }
  return true;
}

/// A metric without a value for the candidate that was traced may have been so because that one is refused; of a feasible one it would be told as 0.
bool PartQueue::has_metrics(const Part& part, const PartResult& result, Diagnostics& diagnostics) const {
  const std::size_t listed = outputs_.size() - request_.metrics.size();
  for (std::size_t s = 0; s < part.siblings.size(); ++s) {
    for (std::size_t m = 0; m < outputs_.size() && result.feasible[s] > 0; ++m) {
      const Value::Kind kind = part.siblings[s].structure->trace.metrics[m].kind;
      if (kind == Value::Kind::number || kind == Value::Kind::truth || (m >= listed && kind == Value::Kind::nothing)) continue;
      if (kind == Value::Kind::nothing)
        tell_unvalued(space_, outputs_[m], result.some[s], diagnostics);
      else
        diagnostics.error({}, fmt::format("`{}` is no number: it can't be compared, added up or listed", outputs_[m]));
      return false;
    }
  }
  return true;
}

}  // namespace opledger
