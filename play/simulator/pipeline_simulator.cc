#include "play/simulator/pipeline_simulator.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <deque>
#include <unordered_map>

#include "base/text.h"

namespace opledger {
namespace {

constexpr std::size_t kShownStages = 8;  // stages named in the message about a deadlock

/// A set of microbatches as maximal intervals. Orders visit microbatches nearly in sequence, so that few intervals
/// exist at a time, and memory stays small for long steps.
class SeenMicrobatches {
 public:
  /// Returns false if the number is in the set already. Otherwise adds the number and merges it with the intervals
  /// that end before and begin after it. `intervals_` maps the first number of each interval to one past its last
  /// number. The cost is logarithmic in the number of intervals.
  bool add(std::uint32_t number) {
    auto after = intervals_.upper_bound(number);
    const auto before = after == intervals_.begin() ? intervals_.end() : std::prev(after);
    if (before != intervals_.end() && number < before->second) return false;
    std::uint32_t first = number, end = number + 1;
    if (before != intervals_.end() && before->second == number) {
      first = before->first;
      intervals_.erase(before);
    }
    if (after != intervals_.end() && after->first == end) {
      end = after->second;
      intervals_.erase(after);
    }
    intervals_[first] = end;
    return true;
  }

  /// Returns the smallest number below `end` that is not in the set, or `end`.
  std::uint32_t missing(std::uint32_t end) const {
    if (intervals_.empty() || intervals_.begin()->first > 0) return 0;
    return std::min(end, intervals_.begin()->second);
  }

 private:
  std::map<std::uint32_t, std::uint32_t> intervals_;  ///< First number of each interval, and one past the last.
};

/// The kind of a dependency, named from the consumer's point of view.
enum class Edge : std::uint8_t { activation, own_forward, gradient, own_input };

/// Identifies an input of an action in the maps of a stage.
std::uint64_t key(Edge edge, std::uint32_t stage_chunk, std::uint32_t microbatch) {
  return (std::uint64_t{stage_chunk} << 40) | (std::uint64_t{microbatch} << 2) | static_cast<std::uint64_t>(edge);
}

struct Dependency {
  Edge edge;
  Action of;
};

/// The state of a simulation. A queue holds the stages that might proceed; each runs batches until an input is missing.
/// Each action is executed once, and each arrival of an input causes at most one more test of a batch. The cost is
/// therefore linear in the number of actions if batches are small, regardless of the number of stages. Results don't
/// depend on the order of the queue, because start times follow from arrival times and the order of each stage.
class PipelineSimulator {
 public:
  PipelineSimulator(Order& order, const SimulationTimes& times, const Span& at, Diagnostics& diagnostics, const SimulationObserver& watcher)
      : order_(order), size_(order.size()), times_(times), at_(at), diagnostics_(diagnostics), watcher_(watcher) {
    stages_.resize(size_.stages);
    seen_.resize(kWorkKinds * size_.stage_chunks);
    out_.stages.resize(size_.stages);
  }

  std::optional<SimulatedStep> simulate() {
    // Worklist algorithm. Every stage fetches its first batch and enters the queue. A stage taken from the queue runs
    // batches until one lacks an input. The arrival of an input from another stage queues it again; `queued` keeps
    // each stage in the queue at most once. When the queue is empty, no stage can proceed: all are done, or the order
    // is incomplete or deadlocks, which the final checks report. Returns nothing after an error.
    if (kWorkKinds * size_.stage_chunks * static_cast<std::uint64_t>(size_.microbatches) > kMaxActions) {
      diagnostics_.error(at_, fmt::format("a step of {} chunks with {} microbatches is too long to simulate: at most {} actions", size_.stage_chunks,
                                          size_.microbatches, kMaxActions));
      return std::nullopt;
    }
    for (std::size_t k = 0; k < size_.stages; ++k) {
      if (!fetch_next(k)) return std::nullopt;
      ready_.push_back(k);
    }
    while (!ready_.empty()) {
      const std::size_t k = ready_.front();
      ready_.pop_front();
      stages_[k].queued = false;
      while (stages_[k].has_batch && can_begin(k)) {
        if (!run_batch(k)) return std::nullopt;
      }
    }
    if (!check_complete() || !check_progress()) return std::nullopt;
    return std::move(out_);
  }

 private:
  struct Stage {
    Batch batch;  ///< The next batch.
    bool has_batch = false, queued = true, started = false;
    double clock = 0;
    std::unordered_map<std::uint64_t, double> arrived;  ///< Arrival times of inputs that no batch has consumed.
    std::unordered_map<std::size_t, double> link;       ///< Time until which the link to each stage is busy.
    std::size_t in_flight = 0;                          ///< Pairs of chunk and microbatch in flight.
    std::unordered_map<std::uint32_t, std::size_t> in_flight_of_chunk;
  };

  bool fail(std::string message) {
    diagnostics_.error(at_, std::move(message));
    return false;
  }

  /// Fetches the next batch of stage `k` from the order and checks its actions; `has_batch` is false at the end of the
  /// order. Returns false, with an error, for an action out of range, on a different stage than its forward, or
  /// repeated, or if the order can't be evaluated. `seen_` has the microbatches met so far, by kind of work and chunk.
  bool fetch_next(std::size_t k) {
    Stage& stage = stages_[k];
    const std::size_t errors = diagnostics_.errors();
    stage.has_batch = order_.next(k, stage.batch, diagnostics_);
    if (!stage.has_batch) return diagnostics_.errors() == errors;
    for (const Action& a : stage.batch.actions) {
      if (a.stage_chunk >= size_.stage_chunks || a.microbatch >= size_.microbatches) return fail(fmt::format("{} is not an action of this step", written(a)));
      if (order_.stage_of(a.stage_chunk, a.microbatch) != k) return fail(fmt::format("{} is on a different stage than its forward", written(a)));
      if (!seen_[static_cast<std::size_t>(a.work) * size_.stage_chunks + a.stage_chunk].add(a.microbatch))
        return fail(fmt::format("{} appears twice", written(a)));
    }
    return true;
  }

  /// Returns the dependencies of an action, at most two.
  std::array<std::optional<Dependency>, 2> dependencies(const Action& a) const {
    const bool first = a.stage_chunk == 0, last = a.stage_chunk + 1 == size_.stage_chunks;
    switch (a.work) {
      case Work::forward:
        return {first ? std::nullopt : std::optional(Dependency{Edge::activation, {Work::forward, a.stage_chunk - 1, a.microbatch}}), std::nullopt};
      case Work::input:
        return {Dependency{Edge::own_forward, {Work::forward, a.stage_chunk, a.microbatch}},
                last ? std::nullopt : std::optional(Dependency{Edge::gradient, {Work::input, a.stage_chunk + 1, a.microbatch}})};
      case Work::weight:
        return {Dependency{Edge::own_input, {Work::input, a.stage_chunk, a.microbatch}}, std::nullopt};
    }
    return {};
  }

  static bool inside(const Batch& batch, const Action& a) { return std::find(batch.actions.begin(), batch.actions.end(), a) != batch.actions.end(); }

  /// Visits the dependencies of the stage's batch that no action of the batch itself satisfies, as a key of
  /// `Stage::arrived` and the action that the batch depends on.
  template <class Each>
  void each_dependency(std::size_t k, Each each) const {
    for (const Action& a : stages_[k].batch.actions) {
      for (const std::optional<Dependency>& need : dependencies(a)) {
        if (need && !inside(stages_[k].batch, need->of)) each(key(need->edge, a.stage_chunk, a.microbatch), need->of);
      }
    }
  }

  bool can_begin(std::size_t k) const {
    bool all = true;
    each_dependency(k, [&](std::uint64_t needed, const Action&) { all = all && stages_[k].arrived.count(needed) > 0; });
    return all;
  }

  bool run_batch(std::size_t k) {
    // Runs the current batch of stage `k`, whose inputs from other batches are in `arrived`, and fetches the next
    // batch. The batch starts when the stage is free (`clock`) and the last input has arrived; all its outputs are
    // available at its end. Inputs are consumed and erased, which keeps the map small. A batch of concurrent actions
    // takes the sum of their times, multiplied by the overlap factor. Returns false, with an error, if the next batch
    // is invalid.
    Stage& stage = stages_[k];
    double start = stage.clock, seconds = 0;
    each_dependency(k, [&](std::uint64_t needed, const Action&) {
      const auto found = stage.arrived.find(needed);
      start = std::max(start, found->second);
      stage.arrived.erase(found);
    });
    for (const Action& a : stage.batch.actions) seconds += times_.work(k, a.stage_chunk, a.work);
    if (stage.batch.is_concurrent) seconds *= times_.overlap_factor;
    const double end = start + seconds;
    SimulatedStage& out = out_.stages[k];
    if (!stage.started) out.first = start;
    stage.started = true;
    stage.clock = out.last = end;
    out.busy += seconds;
    ++out.batches;
    out_.actions += stage.batch.actions.size();
    out_.step = std::max(out_.step, end);
    count(stage, out, start);
    if (watcher_.batch) watcher_.batch({k, start, end, stage.batch});
    for (const Action& a : stage.batch.actions) deliver(k, a, end);
    return fetch_next(k);
  }

  /// Updates the number of pairs of chunk and microbatch in flight, and its maximum, for a batch that begins at
  /// `start`. Forwards count from the start of their batch, weight gradients release at its end. Hence all forwards of
  /// the batch are counted before the maximum is taken, and releases come after.
  static void count(Stage& stage, SimulatedStage& out, double start) {
    for (const Action& a : stage.batch.actions) {
      if (a.work != Work::forward) continue;
      ++stage.in_flight;
      std::size_t& maximum = out.in_flight_of_chunk[a.stage_chunk];
      maximum = std::max(maximum, ++stage.in_flight_of_chunk[a.stage_chunk]);
    }
    if (stage.in_flight > out.in_flight) out.full_from = start;
    out.in_flight = std::max(out.in_flight, stage.in_flight);
    for (const Action& a : stage.batch.actions) {
      if (a.work != Work::weight) continue;
      --stage.in_flight;
      --stage.in_flight_of_chunk[a.stage_chunk];
    }
  }

  /// Sends the output of an action to its consumers.
  void deliver(std::size_t k, const Action& a, double end) {
    if (a.work == Work::forward) {
      record_arrival(k, k, Edge::own_forward, {Work::input, a.stage_chunk, a.microbatch}, end);
      if (a.stage_chunk + 1 < size_.stage_chunks) send(k, Edge::activation, {Work::forward, a.stage_chunk + 1, a.microbatch}, a, end);
    } else if (a.work == Work::input) {
      record_arrival(k, k, Edge::own_input, {Work::weight, a.stage_chunk, a.microbatch}, end);
      if (a.stage_chunk > 0) send(k, Edge::gradient, {Work::input, a.stage_chunk - 1, a.microbatch}, a, end);
    }
  }

  /// Sends a message to the consumer's stage. A serial link delays the message until the previous message between the
  /// two stages has arrived. A consumer on the same stage receives the output at once.
  void send(std::size_t from, Edge edge, const Action& consumer, const Action& producer, double end) {
    const std::optional<std::size_t> to = order_.stage_of(consumer.stage_chunk, consumer.microbatch);
    if (!to || *to == from) return to ? record_arrival(from, from, edge, consumer, end) : void();
    double leaves = end;
    double& busy_until = stages_[from].link[*to];
    if (times_.serial) leaves = std::max(leaves, busy_until);
    const double arrives = busy_until = leaves + times_.hop(from, *to, producer.work);
    if (watcher_.message) watcher_.message({from, *to, leaves, arrives, producer, consumer});
    record_arrival(from, *to, edge, consumer, arrives);
  }

  /// Records an input of a stage, and queues the stage if the input comes from another stage. An input produced and
  /// consumed by one batch needs no record.
  void record_arrival(std::size_t from, std::size_t to, Edge edge, const Action& consumer, double when) {
    Stage& stage = stages_[to];
    if (from == to && inside(stage.batch, consumer)) return;
    stage.arrived[key(edge, consumer.stage_chunk, consumer.microbatch)] = when;
    if (from == to || stage.queued) return;
    stage.queued = true;
    ready_.push_back(to);
  }

  /// Fetches the remaining batches of all stuck stages, and reports the first action that no stage runs. Fetching
  /// fills `seen_`, so afterwards an action that was not seen is missing from the order. A missing action is reported
  /// before the batches that wait for it, because it is the cause. At the end, each stuck stage has its batch back,
  /// which `check_progress` needs. Returns false after an error.
  bool check_complete() {
    std::vector<Batch> stuck(size_.stages);
    std::vector<bool> waits(size_.stages);
    for (std::size_t k = 0; k < size_.stages; ++k) {
      waits[k] = stages_[k].has_batch;
      if (waits[k]) stuck[k] = stages_[k].batch;
      while (stages_[k].has_batch) {
        if (!fetch_next(k)) return false;
      }
    }
    for (std::size_t work = 0; work < kWorkKinds; ++work) {
      for (std::size_t stage_chunk = 0; stage_chunk < size_.stage_chunks; ++stage_chunk) {
        const std::uint32_t missing = seen_[work * size_.stage_chunks + stage_chunk].missing(size_.microbatches);
        if (missing < size_.microbatches)
          return fail(fmt::format("{} is missing", written(Action{static_cast<Work>(work), static_cast<std::uint32_t>(stage_chunk), missing})));
      }
    }
    for (std::size_t k = 0; k < size_.stages; ++k) {
      stages_[k].has_batch = waits[k];
      stages_[k].batch = std::move(stuck[k]);
    }
    return true;
  }

  /// Reports a deadlock: for each stuck stage, its batch and the actions that the batch waits for. A stage is stuck if
  /// it has a batch although no stage can proceed. Names the first kShownStages stages and counts the others. Returns
  /// true if no stage is stuck.
  bool check_progress() {
    std::vector<std::string> stuck;
    std::size_t more = 0;
    for (std::size_t k = 0; k < size_.stages; ++k) {
      if (!stages_[k].has_batch) continue;
      if (stuck.size() == kShownStages) {
        ++more;
        continue;
      }
      std::vector<std::string> waits;
      each_dependency(k, [&](std::uint64_t needed, const Action& of) {
        if (stages_[k].arrived.count(needed) == 0) waits.push_back(written(of));
      });
      stuck.push_back(fmt::format("stage {}: {} waits for {}", k, written(stages_[k].batch), join(waits, ", ")));
    }
    if (stuck.empty()) return true;
    return fail(fmt::format("the order waits for itself: {}{}", join(stuck, "; "), more == 0 ? "" : fmt::format("; and {} more stages", more)));
  }

  Order& order_;
  const StepSize size_;
  const SimulationTimes& times_;
  const Span& at_;
  Diagnostics& diagnostics_;
  const SimulationObserver& watcher_;
  std::vector<Stage> stages_;
  std::vector<SeenMicrobatches> seen_;  ///< Microbatches met so far, by kind of work and chunk.
  std::deque<std::size_t> ready_;       ///< Stages that may be able to proceed.
  SimulatedStep out_;
};

}  // namespace

std::optional<SimulatedStep> simulate(Order& order, const SimulationTimes& times, const Span& at, Diagnostics& diagnostics, const SimulationObserver& watcher) {
  return PipelineSimulator(order, times, at, diagnostics, watcher).simulate();
}

}  // namespace opledger
