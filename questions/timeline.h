#pragma once
#include <optional>
#include <string>
#include <vector>

#include "run/played_step.h"
#include "run/run.h"

/// One step of a run as it goes on in time: what each stage of the pipeline does, what it sends, what it keeps.
namespace opledger {

/// A batch of work; times are seconds from the beginning of the step.
struct TimelineWork {
  double start = 0, end = 0;
  Batch batch;  ///< Empty: the end of the step (gradients, optimizer).
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
  PlayedStep::Levels standing;  ///< Bytes that are there all the time.
  PlayedStage played;
};

struct Timeline {
  std::string schedule;
  StepSize size;
  double work_end = 0, end = 0;  ///< Of the last work; of the step.
  std::vector<TimelineStage> stages;
  std::vector<TimelineMessage> messages;

  double busiest() const;  ///< Seconds of work of the stage that has most.
};

/// Works that a picture may have.
inline constexpr std::size_t kMostPictured = 400'000;

/// `microbatches`: only what belongs to the first so many of them; 0: all. Empty, with errors, if nothing can be played or there is too much of it.
std::optional<Timeline> timeline(Run& run, std::size_t microbatches, Diagnostics& diagnostics);

}  // namespace opledger
