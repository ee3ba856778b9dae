#pragma once
#include <cstdint>
#include <optional>
#include <vector>

/// Plays tasks on streams. The first stream computes, one lane of tasks or several, each in the order in which it is listed; each of the others carries one task after
/// another, in the order in which these are ready, but first what computing waits for. Knows neither models nor networks.
namespace opledger {

using TaskId = std::uint32_t;

struct StreamTask {
  std::uint32_t stream = 0;     ///< 0: computes.
  double seconds = 0;           ///< By itself.
  double slows = 0;             ///< Of a stream that carries: share of the computing speed that it takes meanwhile.
  bool stops = false;           ///< Of a stream that carries: computing that needs it does nothing else until it is there.
  bool may_wait = false;        ///< Of computing: it is put off until the rest has to wait, or needs it.
  std::uint32_t lane = 0;       ///< Of computing: where one lane waits another goes on, of those that can the one that is further behind.
  std::vector<TaskId> needs{};  ///< What must be done before it begins.
};

struct TaskSpan {
  double start = 0, end = 0;  ///< Seconds.
};

/// A task while its stream carries it: what computing waits for interrupts another.
struct CarriedTask {
  TaskId task = 0;
  double from = 0, to = 0;
};

/// Computing that is lost to a task: it waits while this is carried, or goes on without the share that this takes.
struct LostTime {
  TaskId task = 0;
  double from = 0, to = 0, share = 1;
};

struct SimulatedStreams {
  std::vector<TaskSpan> spans;       ///< By task.
  std::vector<CarriedTask> carried;  ///< Of all streams but the first.
  std::vector<LostTime> lost;        ///< In the order of time.
  double end = 0;                    ///< Of the last task.
};

/// Of the computing speed, however many tasks take their share at once.
inline constexpr double kLeastSpeed = 0.01;

/// Empty where tasks wait for each other: `stuck` is then one of those that never begin.
std::optional<SimulatedStreams> simulate_streams(const std::vector<StreamTask>& tasks, TaskId* stuck = nullptr);

}  // namespace opledger
