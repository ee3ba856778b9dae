#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "play/step_simulation.h"
#include "run/run.h"

/// The timeline of one step of a run: the tasks of each pipeline stage, their messages, and the saved activations.
/// `timeline` builds it; report/ draws and writes it.
namespace opledger {

/// The kernels and messages inside a task, on tracks. Times are seconds from the beginning of the task.
struct PassPicture {
  /// An interval in which a track runs a kernel, a message or a copy.
  struct Span {
    std::size_t track = 0;  ///< Position in Timeline::tracks.
    double start = 0, end = 0;
    std::string name, phase, segment;  ///< Name of the kernel or message for people; its phase; the segment of its layer.
    std::size_t layer = 0;             ///< Position among the layers of the chunk, in the order of the pass.
  };
  std::vector<Span> spans;  ///< Spans in order of their start.
  double length = 0;        ///< Seconds of the whole pass.
};

/// A task of a stage: a batch of actions. Times are seconds from the beginning of the step.
struct TimelineTask {
  double start = 0, end = 0;
  Batch batch;                                          ///< Empty for the end of the step (gradients, optimizer) and for waiting after the end.
  std::shared_ptr<const PassPicture> inside = nullptr;  ///< Kernels and messages; null unless requested.
  bool waits = false;                                   ///< True for waiting after the step, caused by the slowest nodes and the framework.

  /// Returns the factor that fits `inside` into the task, if the simulated pass takes longer than the accounting's
  /// formulas state; else 1.
  double scale() const { return inside != nullptr && inside->length > end - start ? (end - start) / inside->length : 1; }
};

/// A message between two stages, from its departure to its arrival. The sending stage does not wait meanwhile.
struct TimelineMessage {
  std::size_t from = 0, to = 0;    ///< Stages.
  double leaves = 0, arrives = 0;  ///< Seconds from the beginning of the step.
  Action action;                   ///< The action that produces the content.
  Action needed_by;                ///< The action on stage `to` that needs the content.
};

/// Saved activations of a stage from a point in time on.
struct TimelineLevel {
  double at = 0;              ///< Seconds from the beginning of the step.
  std::size_t in_flight = 0;  ///< Pairs of chunk and microbatch.
  double activations = 0;     ///< Bytes saved for these pairs.
};

/// The events of one stage.
struct TimelineStage {
  std::vector<TimelineTask> tasks;        ///< Shown tasks in order of time.
  std::vector<TimelineLevel> levels;      ///< Changes of the saved activations, in order of time; hidden microbatches count too.
  StepSimulation::LabeledBytes resident;  ///< Bytes resident for the whole step.
  SimulatedStage simulated;               ///< Totals of the stage over the whole step.
};

/// One row of a timeline: a rank of a stage.
struct TimelineProcess {
  std::string name;                  ///< Name for people, such as `stage 0` or `rank 5 (stage 1)`.
  std::size_t stage = 0, place = 0;  ///< `place`: index of the rank among the ranks of its stage; equal places send to each other.
};

/// A step as events, ready to draw.
struct Timeline {
  std::string schedule;          ///< Name of the schedule.
  StepSize size;                 ///< Numbers of stages, chunks and microbatches of the whole step.
  std::size_t microbatches = 0;  ///< Number of microbatches shown, from the first on; 0: every microbatch.
  /// Seconds at the end of the last action, and at the end of the step, with `waits` included.
  double work_end = 0, end = 0;
  double waits = 0;                        ///< Seconds at the end of the step in which every rank waits.
  std::vector<TimelineStage> stages;       ///< Events by stage.
  std::vector<TimelineMessage> messages;   ///< Messages between stages whose producing action is shown.
  std::vector<TimelineProcess> processes;  ///< Rows to draw; several rows may show one stage.
  std::vector<std::string> tracks;         ///< Tracks of a process: `compute`, then networks and copies of passes.
  bool operators = false;                  ///< True if tasks have kernels and messages inside.

  /// Returns positions in `processes`, by pair of stage and place.
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> placed() const;
  /// Returns the number of places of a stage, the highest place plus one; 1 without processes.
  std::size_t places() const;
  /// Returns the seconds of work of the busiest stage.
  double busiest() const;
};

/// Limit of tasks over all rows of a timeline, with kernels and messages inside.
inline constexpr std::size_t kMaxTimelineItems = 400'000;

/// The scope of a timeline.
struct TimelineOptions {
  /// Rows: one for each stage, one for each class of equal stages, or one for every rank.
  enum class Ranks { stages, kinds, all };
  std::size_t microbatches = 0;  ///< Number of microbatches to show; 0: every microbatch.
  Ranks ranks = Ranks::stages;   ///< Rows of the timeline.
  bool operators = false;        ///< True to simulate kernels and messages inside tasks.
  /// Limit of tasks if `microbatches` is 0. A larger step is cut to its first microbatches, at least one; 0: no cut. A
  /// timeline above kMaxTimelineItems is an error in any case.
  std::size_t tasks = 0;
};

/// Adds every rank as a process to `out.processes`, with its stage and its place. Rank numbers vary along the axes of
/// the mesh, innermost fastest. Returns false, with errors, if the ranks are too many or the mesh and the step have
/// different numbers of stages.
bool add_ranks(Run& run, Timeline& out, Diagnostics& diagnostics);

/// Simulates a step and returns its timeline. Returns nothing, with errors, if the step can't be simulated or has too
/// many tasks.
std::optional<Timeline> timeline(Run& run, const TimelineOptions& options, Diagnostics& diagnostics);

}  // namespace opledger
