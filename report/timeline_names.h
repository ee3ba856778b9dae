#pragma once
#include <string>

#include "play/timeline.h"

/// Names of a simulated step's tasks, equal in every format.
namespace opledger {

/// Returns the kind of a task: `forward`, `input` (gradients), `weight` (gradients), `backward` (both gradients of one
/// microbatch), `together` (actions that run concurrently), or `end` (end of the step, or waiting after it).
inline const char* kind_of(const TimelineTask& work) {
  const auto& actions = work.batch.actions;
  if (actions.empty()) return "end";
  if (work.batch.is_concurrent) return "together";
  if (actions.size() > 1) return "backward";
  return actions[0].work == Work::forward ? "forward" : actions[0].work == Work::input ? "input" : "weight";
}

/// Returns the notation of schedule files, such as `3F0`.
inline std::string name_of(const TimelineTask& work) {
  if (work.waits) return "waiting";
  return work.batch.actions.empty() ? "end of the step" : written(work.batch);
}

/// Returns a kernel's name, and its phase in backward: `mlp.down wgrad`, because backward runs several tasks for each
/// kernel.
inline std::string name_of(const PassPicture::Span& span) { return span.phase == "forward" ? span.name : span.name + " " + span.phase; }

/// Returns the sender's track for a message, named by the receiving stage.
inline std::string track_of(const TimelineMessage& m) { return "to stage " + std::to_string(m.to); }

}  // namespace opledger
