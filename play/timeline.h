#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "play/played_step.h"
#include "run/run.h"

/// One step of a run as it goes on in time: what each stage of the pipeline does, what it sends, what it keeps.
namespace opledger {

/// What goes on inside a work, kernel by kernel and message by message, on streams. Seconds from its beginning.
struct PassPicture {
  struct Span {
    std::size_t track = 0;  ///< Of Timeline::tracks.
    double start = 0, end = 0;
    std::string name, phase, segment;
    std::size_t layer = 0;  ///< Of those that the piece of the model has, in the order in which they are passed.
  };
  std::vector<Span> spans;
  double length = 0;
};

/// A batch of work; times are seconds from the beginning of the step.
struct TimelineWork {
  double start = 0, end = 0;
  Batch batch;                                          ///< Empty for the end of the step (gradients, optimizer) and for the waiting after it.
  std::shared_ptr<const PassPicture> inside = nullptr;  ///< Null: not asked for.
  bool waits = false;                                   ///< Ranks only wait here, for the slowest of many nodes and for the framework.

  /// By which a pass is made shorter that takes longer as it is played than the accounting counts.
  double scale() const { return inside != nullptr && inside->length > end - start ? (end - start) / inside->length : 1; }
};

/// From the moment when it leaves until it is there: what the next stage needs, and nothing waits for meanwhile.
struct TimelineMessage {
  std::size_t from = 0, to = 0;
  double leaves = 0, arrives = 0;
  Action action;     ///< That made it …
  Action needed_by;  ///< … and on the other stage needs it.
};

/// From then on.
struct TimelineLevel {
  double at = 0;
  std::size_t in_flight = 0;  ///< Pieces of microbatches.
  double activations = 0;     ///< Bytes kept of them.
};

struct TimelineStage {
  std::vector<TimelineWork> works;
  std::vector<TimelineLevel> levels;
  StepSimulation::Levels standing;  ///< Bytes that are there all the time.
  PlayedStage played;
};

/// What a picture shows as one: a rank of a stage.
struct TimelineProcess {
  std::string name;
  std::size_t stage = 0, place = 0;  ///< Ranks of equal place along all axes but the pipeline's send to each other.
};

struct Timeline {
  std::string schedule;
  StepSize size;
  std::size_t microbatches = 0;  ///< Only the first so many of them are here; 0: all.
  double work_end = 0, end = 0;  ///< Of the last work; of the step.
  double waits = 0;              ///< Seconds at the end of the step in which all ranks wait.
  std::vector<TimelineStage> stages;
  std::vector<TimelineMessage> messages;
  std::vector<TimelineProcess> processes;
  std::vector<std::string> tracks;  ///< Of a process: `compute`, and what passes use beside it: networks, copies.
  bool operators = false;           ///< Whether works have an inside.

  /// Positions in `processes`, by stage and place.
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> placed() const;
  std::size_t places() const;
  double busiest() const;  ///< Seconds of work of the stage that has most.
};

/// Works that a picture may have, and what is inside them.
inline constexpr std::size_t kMaxTimelineItems = 400'000;

struct TimelineOptions {
  enum class Ranks { stages, kinds, all };
  std::size_t microbatches = 0;  ///< Only what belongs to the first so many of them; 0: all.
  Ranks ranks = Ranks::stages;   ///< One of each stage, one of each kind of stages that are alike, or all.
  bool operators = false;        ///< With what goes on inside works.
  std::size_t works = 0;  ///< Of a step that has more works only the first microbatches, as many as have so few; 0: it is an error if there are too many.
};

/// Adds all ranks as processes: the stage of each, and its place among those that have it. Ranks differ along the axes of the mesh, the innermost being neighbours. False,
/// with errors: they are too many, or the mesh has other stages than the step.
bool add_ranks(Run& run, Timeline& out, Diagnostics& diagnostics);

/// Empty, with errors, if nothing can be played or there is too much of it.
std::optional<Timeline> timeline(Run& run, const TimelineOptions& options, Diagnostics& diagnostics);

}  // namespace opledger
