#include "play/simulator/pipeline_simulator.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <deque>
#include <unordered_map>

#include "base/text.h"

namespace opledger {
namespace {

constexpr std::size_t kShownStages = 8;  ///< Of an order that waits for itself.

/// Microbatches that were met, as few stretches.
class SeenMicrobatches {
 public:
  /// False: it was met before.
  bool add(std::uint32_t number) {
    auto after = stretches_.upper_bound(number);
    const auto before = after == stretches_.begin() ? stretches_.end() : std::prev(after);
    if (before != stretches_.end() && number < before->second) return false;
    std::uint32_t first = number, end = number + 1;
    if (before != stretches_.end() && before->second == number) {
      first = before->first;
      stretches_.erase(before);
    }
    if (after != stretches_.end() && after->first == end) {
      end = after->second;
      stretches_.erase(after);
    }
    stretches_[first] = end;
    return true;
  }

  /// The first below `end` that was not met; `end`: all were.
  std::uint32_t missing(std::uint32_t end) const {
    if (stretches_.empty() || stretches_.begin()->first > 0) return 0;
    return std::min(end, stretches_.begin()->second);
  }

 private:
  std::map<std::uint32_t, std::uint32_t> stretches_;  ///< First, and one past the last.
};

/// What an action needs of another one, by the one that needs it.
enum class Edge : std::uint8_t { activation, own_forward, gradient, own_input };

std::uint64_t key(Edge edge, std::uint32_t piece, std::uint32_t microbatch) {
  return (std::uint64_t{piece} << 40) | (std::uint64_t{microbatch} << 2) | static_cast<std::uint64_t>(edge);
}

struct Need {
  Edge edge;
  Action of;
};

class PipelineSimulator {
 public:
  PipelineSimulator(Order& order, const SimulationTimes& times, const Span& at, Diagnostics& diagnostics, const SimulationObserver& watcher)
      : order_(order), size_(order.size()), times_(times), at_(at), diagnostics_(diagnostics), watcher_(watcher) {
    stages_.resize(size_.stages);
    seen_.resize(kWorks * size_.pieces);
    out_.stages.resize(size_.stages);
  }

  std::optional<SimulatedStep> simulate() {
    if (kWorks * size_.pieces * static_cast<std::uint64_t>(size_.microbatches) > kMaxActions) {
      diagnostics_.error(at_, fmt::format("a step of {} pieces with {} microbatches is too long to be played: at most {} actions", size_.pieces,
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
    if (!nothing_missing() || !nothing_waits()) return std::nullopt;
    return std::move(out_);
  }

 private:
  struct Stage {
    Batch batch;  ///< The next one.
    bool has_batch = false, queued = true, begun = false;
    double clock = 0;
    std::unordered_map<std::uint64_t, double> there;  ///< What it needs and has.
    std::unordered_map<std::size_t, double> link;     ///< Until when the one to another stage is taken.
    std::size_t now = 0;                              ///< In flight.
    std::unordered_map<std::uint32_t, std::size_t> of_piece;
  };

  bool fail(std::string message) {
    diagnostics_.error(at_, std::move(message));
    return false;
  }

  /// The next batch of a stage, whose actions must be there for the first time. False: with an error.
  bool fetch_next(std::size_t k) {
    Stage& stage = stages_[k];
    const std::size_t errors = diagnostics_.errors();
    stage.has_batch = order_.next(k, stage.batch, diagnostics_);
    if (!stage.has_batch) return diagnostics_.errors() == errors;
    for (const Action& a : stage.batch.actions) {
      if (a.piece >= size_.pieces || a.microbatch >= size_.microbatches) return fail(fmt::format("{} is none of this step", written(a)));
      if (order_.stage_of(a.piece, a.microbatch) != k) return fail(fmt::format("{} is on another stage than its forward", written(a)));
      if (!seen_[static_cast<std::size_t>(a.work) * size_.pieces + a.piece].add(a.microbatch)) return fail(fmt::format("{} twice", written(a)));
    }
    return true;
  }

  /// Up to two.
  std::array<std::optional<Need>, 2> needs(const Action& a) const {
    const bool first = a.piece == 0, last = a.piece + 1 == size_.pieces;
    switch (a.work) {
      case Work::forward:
        return {first ? std::nullopt : std::optional(Need{Edge::activation, {Work::forward, a.piece - 1, a.microbatch}}), std::nullopt};
      case Work::input:
        return {Need{Edge::own_forward, {Work::forward, a.piece, a.microbatch}},
                last ? std::nullopt : std::optional(Need{Edge::gradient, {Work::input, a.piece + 1, a.microbatch}})};
      case Work::weight:
        return {Need{Edge::own_input, {Work::input, a.piece, a.microbatch}}, std::nullopt};
    }
    return {};
  }

  static bool inside(const Batch& batch, const Action& a) { return std::find(batch.actions.begin(), batch.actions.end(), a) != batch.actions.end(); }

  template <class Each>
  void each_need(std::size_t k, Each each) const {
    for (const Action& a : stages_[k].batch.actions) {
      for (const std::optional<Need>& need : needs(a)) {
        if (need && !inside(stages_[k].batch, need->of)) each(key(need->edge, a.piece, a.microbatch), need->of);
      }
    }
  }

  bool can_begin(std::size_t k) const {
    bool all = true;
    each_need(k, [&](std::uint64_t needed, const Action&) { all = all && stages_[k].there.count(needed) > 0; });
    return all;
  }

  bool run_batch(std::size_t k) {
    Stage& stage = stages_[k];
    double start = stage.clock, seconds = 0;
    each_need(k, [&](std::uint64_t needed, const Action&) {
      const auto found = stage.there.find(needed);
      start = std::max(start, found->second);
      stage.there.erase(found);
    });
    for (const Action& a : stage.batch.actions) seconds += times_.work(k, a.piece, a.work);
    if (stage.batch.together) seconds *= times_.together;
    const double end = start + seconds;
    PlayedStage& out = out_.stages[k];
    if (!stage.begun) out.first = start;
    stage.begun = true;
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

  static void count(Stage& stage, PlayedStage& out, double start) {
    for (const Action& a : stage.batch.actions) {
      if (a.work != Work::forward) continue;
      ++stage.now;
      std::size_t& most = out.in_flight_of_piece[a.piece];
      most = std::max(most, ++stage.of_piece[a.piece]);
    }
    if (stage.now > out.in_flight) out.full_from = start;
    out.in_flight = std::max(out.in_flight, stage.now);
    for (const Action& a : stage.batch.actions) {
      if (a.work != Work::weight) continue;
      --stage.now;
      --stage.of_piece[a.piece];
    }
  }

  /// What an action made, to those that need it, unless they were in its batch.
  void deliver(std::size_t k, const Action& a, double end) {
    if (a.work == Work::forward) {
      give(k, k, Edge::own_forward, {Work::input, a.piece, a.microbatch}, end);
      if (a.piece + 1 < size_.pieces) send(k, Edge::activation, {Work::forward, a.piece + 1, a.microbatch}, a, end);
    } else if (a.work == Work::input) {
      give(k, k, Edge::own_input, {Work::weight, a.piece, a.microbatch}, end);
      if (a.piece > 0) send(k, Edge::gradient, {Work::input, a.piece - 1, a.microbatch}, a, end);
    }
  }

  void send(std::size_t from, Edge edge, const Action& consumer, const Action& made, double end) {
    const std::optional<std::size_t> to = order_.stage_of(consumer.piece, consumer.microbatch);
    if (!to || *to == from) return to ? give(from, from, edge, consumer, end) : void();
    double leaves = end;
    double& taken = stages_[from].link[*to];
    if (times_.serial) leaves = std::max(leaves, taken);
    const double arrives = taken = leaves + times_.hop(from, *to, made.work);
    if (watcher_.message) watcher_.message({from, *to, leaves, arrives, made, consumer});
    give(from, *to, edge, consumer, arrives);
  }

  void give(std::size_t from, std::size_t to, Edge edge, const Action& consumer, double when) {
    Stage& stage = stages_[to];
    if (from == to && inside(stage.batch, consumer)) return;
    stage.there[key(edge, consumer.piece, consumer.microbatch)] = when;
    if (from == to || stage.queued) return;
    stage.queued = true;
    ready_.push_back(to);
  }

  /// Takes what is left of all stages, so that what is missing is told before what waits for it.
  bool nothing_missing() {
    std::vector<Batch> stuck(size_.stages);
    std::vector<bool> waits(size_.stages);
    for (std::size_t k = 0; k < size_.stages; ++k) {
      waits[k] = stages_[k].has_batch;
      if (waits[k]) stuck[k] = stages_[k].batch;
      while (stages_[k].has_batch) {
        if (!fetch_next(k)) return false;
      }
    }
    for (std::size_t work = 0; work < kWorks; ++work) {
      for (std::size_t piece = 0; piece < size_.pieces; ++piece) {
        const std::uint32_t missing = seen_[work * size_.pieces + piece].missing(size_.microbatches);
        if (missing < size_.microbatches)
          return fail(fmt::format("{} is missing", written(Action{static_cast<Work>(work), static_cast<std::uint32_t>(piece), missing})));
      }
    }
    for (std::size_t k = 0; k < size_.stages; ++k) {
      stages_[k].has_batch = waits[k];
      stages_[k].batch = std::move(stuck[k]);
    }
    return true;
  }

  bool nothing_waits() {
    std::vector<std::string> stuck;
    std::size_t more = 0;
    for (std::size_t k = 0; k < size_.stages; ++k) {
      if (!stages_[k].has_batch) continue;
      if (stuck.size() == kShownStages) {
        ++more;
        continue;
      }
      std::vector<std::string> waits;
      each_need(k, [&](std::uint64_t needed, const Action& of) {
        if (stages_[k].there.count(needed) == 0) waits.push_back(written(of));
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
  std::vector<SeenMicrobatches> seen_;  ///< By work and piece.
  std::deque<std::size_t> ready_;
  SimulatedStep out_;
};

}  // namespace

std::optional<SimulatedStep> simulate(Order& order, const SimulationTimes& times, const Span& at, Diagnostics& diagnostics, const SimulationObserver& watcher) {
  return PipelineSimulator(order, times, at, diagnostics, watcher).simulate();
}

}  // namespace opledger
