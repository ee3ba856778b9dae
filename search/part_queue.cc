#include "search/part_queue.h"

#include <fmt/core.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/task_group.h>

#include <cmath>
#include <thread>

#include "search/unvalued.h"

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
  std::atomic<std::uint64_t> done{0};  ///< Candidates of what waits that are evaluated.
};

PartQueue::PartQueue(Space& space, const FreeAxes& free, Stops& stops, const SweepRequest& request, std::vector<std::string> outputs, Assembly& assembly)
    : space_(space), free_(free), stops_(stops), request_(request), outputs_(std::move(outputs)), assembly_(assembly), threads_(std::make_unique<Threads>()) {}

PartQueue::~PartQueue() = default;

bool PartQueue::full(const Part& next) const {
  return waiting_.size() >= kPartsAtOnce || (!waiting_.empty() && next.stretch->number - waiting_.front().part.stretch->number >= kStretchesAtOnce);
}

bool PartQueue::add(Part part, Diagnostics& diagnostics) {
  if (full(part) && !run(diagnostics)) return false;
  tell(threads_->done);
  if (request_.stopped()) return false;
  Waiting& waiting = waiting_.emplace_back(Waiting{std::move(part), {}, {}});
  threads_->group.run([this, &waiting, main = std::this_thread::get_id()] {
    evaluate(waiting);
    if (std::this_thread::get_id() == main) tell(threads_->done);
  });
  return true;
}

void PartQueue::evaluate(Waiting& waiting) {
  auto& [part, messages, result] = waiting;
  if (request_.stopped()) return;
  std::unique_ptr<PartRunner>& runner = threads_->runners.local();
  if (runner == nullptr) runner = std::make_unique<PartRunner>(space_, free_, stops_, request_);
  result = runner->run(part, messages);
  if (result && !part.stop) threads_->done += result->candidates;
}

/// `done`: besides what has been put together.
void PartQueue::tell(std::uint64_t done) const {
  if (!request_.watch) return;
  SweepStatus status = assembly_.status();
  status.done += done;
  status.total = total;
  request_.watch(status);
}

bool PartQueue::run(Diagnostics& diagnostics) {
  threads_->group.wait();
  threads_->done = 0;
  for (auto& [part, messages, result] : waiting_) {
    diagnostics.append(std::move(messages));
    if (!result && request_.stopped()) continue;
    if (!result) return false;
    if (part.stop) {
      stops_.add(result->with);
      continue;
    }
    if (!has_metrics(*part.metrics, *result, diagnostics)) return false;
    if (!assembly_.add(part.stretch, *part.reasons, std::move(*result), diagnostics)) return false;
  }
  waiting_.clear();
  return true;
}

/// A metric without a value for the candidate that was traced may have been so because that one is refused; of a feasible one it would be told as 0.
bool PartQueue::has_metrics(const std::vector<Value>& metrics, PartResult& part, Diagnostics& diagnostics) const {
  const std::size_t listed = outputs_.size() - request_.metrics.size();
  for (std::size_t m = 0; m < outputs_.size() && part.feasible > 0; ++m) {
    const Value::Kind kind = metrics[m].kind;
    if (kind == Value::Kind::number || kind == Value::Kind::truth) continue;
    if (m >= listed && kind == Value::Kind::nothing) {
      for (std::size_t row = 0; row < part.rows.count; ++row) part.rows.costs[row * part.rows.metrics + m - listed] = std::nan("");
      continue;
    }
    if (kind == Value::Kind::nothing)
      tell_unvalued(space_, outputs_[m], part.best.empty() ? std::vector<double>{} : part.best[0].values, diagnostics);
    else
      diagnostics.error({}, fmt::format("`{}` is no number: it can't be compared, added up or listed", outputs_[m]));
    return false;
  }
  return true;
}

}  // namespace opledger
