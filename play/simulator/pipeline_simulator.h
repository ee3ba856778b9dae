#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "play/simulator/stage_order.h"

/// Plays an order: each stage does its batches one behind the other, and begins the next as soon as all is there that it needs. It knows no schedule.
///   forward of piece q needs forward of q - 1; input gradients those of q + 1 and the forward of q; weight gradients the input gradients.
namespace opledger {

/// Seconds.
struct SimulationTimes {
  std::function<double(std::size_t stage, std::size_t piece, Work work)> work;
  /// Until what another stage needs is there, from the end of the batch that made it.
  std::function<double(std::size_t from, std::size_t to, Work work)> hop;
  bool serial = true;   ///< Messages from one stage to one other go one behind the other, in the order in which they are made.
  double together = 1;  ///< Share that is left of the time of what is done at once.
};

struct PlayedStage {
  double busy = 0, first = 0, last = 0;  ///< Seconds of work; when its first begins and its last ends.
  std::uint64_t batches = 0;
  std::size_t in_flight = 0;  ///< Pieces of microbatches whose forward has begun and whose weight gradients are not done, at most.
  double full_from = 0;       ///< Seconds: when there are first so many.
  std::map<std::size_t, std::size_t> in_flight_of_piece;
};

struct SimulatedStep {
  double step = 0;  ///< Until the last stage is done.
  std::vector<PlayedStage> stages;
  std::uint64_t actions = 0;
};

/// Of a batch, as it is played; in the order of each stage.
struct SimulatedBatch {
  std::size_t stage;
  double start, end;
  const Batch& batch;
};
struct SimulatedMessage {
  std::size_t from, to;
  double leaves, arrives;
  const Action& action;  ///< That made it …
  const Action& needed_by;
};
struct SimulationObserver {
  std::function<void(const SimulatedBatch&)> batch;
  std::function<void(const SimulatedMessage&)> message;
};

/// How many pieces are worked on before a run is refused as too long to play.
inline constexpr std::uint64_t kMaxActions = 100'000'000;

/// Empty, with an error that names the actions: one is missing, there twice, or on another stage than its forward; or the order waits for itself.
/// `at`: where the order is written.
std::optional<SimulatedStep> simulate(Order& order, const SimulationTimes& times, const Span& at, Diagnostics& diagnostics,
                                      const SimulationObserver& watcher = {});

}  // namespace opledger
