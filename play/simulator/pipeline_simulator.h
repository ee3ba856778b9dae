#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "play/simulator/stage_order.h"

/// A discrete-event simulation of a pipeline. Each stage runs its batches in order; the next batch begins as soon as the
/// stage is free and the inputs of the batch have arrived. The simulator knows no schedule, only an `Order`.
///
/// Dependencies of chunk q: forward needs forward of q - 1; input gradients need input gradients of q + 1 and forward
/// of q; weight gradients need input gradients of q; all of one microbatch. Results of a neighboring chunk travel as
/// messages if the chunk is on another stage. Call `simulate` with an order and the durations.
namespace opledger {

/// Durations of the simulation, in seconds.
struct SimulationTimes {
  /// Returns the seconds of an action.
  std::function<double(std::size_t stage, std::size_t stage_chunk, Work work)> work;
  /// Returns the seconds of a message between two stages, from its departure to its arrival. `work`: the work that
  /// produces the content.
  std::function<double(std::size_t from, std::size_t to, Work work)> hop;
  bool serial = true;         ///< Messages from one stage to another are sent one at a time, in order of production; else concurrently.
  double overlap_factor = 1;  ///< Factor on the summed time of a batch of concurrent actions.
};

/// Results of one stage.
struct SimulatedStage {
  /// Seconds of work; seconds at which the first batch begins and the last one ends.
  double busy = 0, first = 0, last = 0;
  std::uint64_t batches = 0;  ///< Number of batches run.
  /// Maximum number of pairs of chunk and microbatch between the start of forward and the end of the weight
  /// gradients.
  std::size_t in_flight = 0;
  double full_from = 0;                                   ///< Seconds at which `in_flight` is first reached.
  std::map<std::size_t, std::size_t> in_flight_of_chunk;  ///< Maximum of microbatches in flight, by chunk.
};

/// The results of a step.
struct SimulatedStep {
  double step = 0;                     ///< Seconds until the last stage is done.
  std::vector<SimulatedStage> stages;  ///< Results by stage.
  std::uint64_t actions = 0;           ///< Number of actions of all stages.
};

/// An event for an observer: a stage ran a batch. Events come in order of time on each stage, but not across stages.
/// Referenced objects live during the callback only.
struct SimulatedBatch {
  std::size_t stage;   ///< Stage that ran the batch.
  double start, end;   ///< Seconds from the beginning of the step.
  const Batch& batch;  ///< The actions.
};
/// An event for an observer: a message between two stages.
struct SimulatedMessage {
  std::size_t from, to;     ///< Stages.
  double leaves, arrives;   ///< Seconds from the beginning of the step.
  const Action& action;     ///< The producing action.
  const Action& needed_by;  ///< The consuming action on the other stage.
};
/// Optional callbacks for events; an empty function is not called.
struct SimulationObserver {
  std::function<void(const SimulatedBatch&)> batch;
  std::function<void(const SimulatedMessage&)> message;
};

/// Limit of actions of a step; a larger step is an error.
inline constexpr std::uint64_t kMaxActions = 100'000'000;

/// Simulates a step, and consumes the order: it can't be simulated again. Returns nothing, with an error that names
/// the actions, if an action is missing, repeated, out of range, or on a different stage than its forward, or if the
/// order deadlocks. Other errors are a step above kMaxActions, and an order that can't be evaluated. `at`: the source
/// position of the order, for errors. `watcher` receives the events during the call. Time is linear in the number of
/// actions if batches are small.
std::optional<SimulatedStep> simulate(Order& order, const SimulationTimes& times, const Span& at, Diagnostics& diagnostics,
                                      const SimulationObserver& watcher = {});

}  // namespace opledger
