#pragma once
#include <cstdint>
#include <optional>
#include <vector>

/// Simulates tasks on the streams of one rank. Stream 0 computes, one task at a time. Its tasks form one or more lanes,
/// such as interleaved microbatches; the tasks of a lane run in the order of the list. Every other stream carries tasks
/// such as messages, one at a time, in the order in which tasks become ready. A task that computing waits for goes
/// first and interrupts other tasks. Fill a list of StreamTask and call `simulate_streams`. The simulator knows neither
/// models nor networks.
namespace opledger {

using TaskId = std::uint32_t;  ///< Position of a task in the list of tasks.

/// A task with its stream, duration and dependencies.
struct StreamTask {
  std::uint32_t stream = 0;     ///< Stream of the task; 0 computes.
  double seconds = 0;           ///< Duration at full speed.
  double slows = 0;             ///< Carried tasks: fraction of the computing speed lost meanwhile.
  bool stops = false;           ///< Carried tasks: while a lane waits for the task, other lanes don't compute either.
  bool may_wait = false;        ///< Computing: deferred until no lane can proceed, its lane has no other task left, or a task that is next needs it.
  std::uint32_t lane = 0;       ///< Computing: among lanes that can proceed, the one with the least progress runs.
  std::vector<TaskId> needs{};  ///< Tasks that must end before this task begins.
};

/// The time from the start to the end of a task, interruptions included.
struct TaskSpan {
  double start = 0, end = 0;  ///< Seconds.
};

/// An interval in which a stream carries a task. An interrupted task has several.
struct CarriedTask {
  TaskId task = 0;
  double from = 0, to = 0;  ///< Seconds.
};

/// An interval of lost computing, and the carried task that causes it. Computing waits for the task (`share` 1), or the
/// task takes a share of the computing speed meanwhile. The lost seconds are (to - from) * share.
struct LostTime {
  TaskId task = 0;
  double from = 0, to = 0, share = 1;  ///< Seconds; fraction of the computing speed, from 0 to 1.
};

/// The results of a simulation; times in seconds from its start.
struct SimulatedStreams {
  std::vector<TaskSpan> spans;       ///< Start and end of each task.
  std::vector<CarriedTask> carried;  ///< Intervals of all streams except stream 0.
  std::vector<LostTime> lost;        ///< Intervals in order of their starts.
  double end = 0;                    ///< End of the last task.
};

/// Minimum computing speed, relative to full speed, for any number of concurrent carried tasks.
inline constexpr double kLeastSpeed = 0.01;

/// Simulates the tasks until all have ended. Returns nothing if tasks wait for each other; `stuck`, unless null, then
/// receives the first task that never begins.
std::optional<SimulatedStreams> simulate_streams(const std::vector<StreamTask>& tasks, TaskId* stuck = nullptr);

}  // namespace opledger
