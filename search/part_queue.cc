#include "search/part_queue.h"

#include <fmt/core.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <cmath>
#include <thread>

#include "search/unvalued.h"

namespace opledger {
namespace {

constexpr std::size_t kPartsAtOnce = 1024;
constexpr std::uint64_t kStretchesAtOnce = 16;

}  // namespace

struct PartQueue::Runners {
  tbb::enumerable_thread_specific<std::unique_ptr<PartRunner>> local;
};

PartQueue::PartQueue(Space& space, const FreeAxes& free, Stops& stops, const SweepRequest& request, std::vector<std::string> outputs, Assembly& assembly)
    : space_(space), free_(free), stops_(stops), request_(request), outputs_(std::move(outputs)), assembly_(assembly), runners_(std::make_unique<Runners>()) {}

PartQueue::~PartQueue() = default;

bool PartQueue::full(const Part& next) const {
  return waiting_.size() >= kPartsAtOnce || (!waiting_.empty() && next.stretch->number - waiting_.front().part.stretch->number >= kStretchesAtOnce);
}

bool PartQueue::add(Part part, Diagnostics& diagnostics) {
  if (full(part) && !run(diagnostics)) return false;
  tell(0);
  if (request_.stopped()) return false;
  waiting_.push_back({std::move(part), {}, {}});
  return true;
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
  std::atomic<std::uint64_t> done{0};
  const std::thread::id main = std::this_thread::get_id();
  tbb::parallel_for(std::size_t{0}, waiting_.size(), [&](std::size_t i) {
    auto& [part, messages, result] = waiting_[i];
    if (request_.stopped()) return;
    std::unique_ptr<PartRunner>& runner = runners_->local.local();
    if (runner == nullptr) runner = std::make_unique<PartRunner>(space_, free_, stops_, request_);
    result = runner->run(part, messages);
    if (result && !part.stop) done += result->candidates;
    if (std::this_thread::get_id() == main) tell(done);
  });
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
