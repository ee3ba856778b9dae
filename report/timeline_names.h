#pragma once
#include <string>

#include "play/timeline.h"

/// How works of a played step are called, the same in every format.
namespace opledger {

/// Returns the kind: `forward`, `input` (gradients), `weight` (gradients), `backward` (both), `together` (several items), `end` (of a step, and waiting).
inline const char* kind_of(const TimelineWork& work) {
  const auto& actions = work.batch.actions;
  if (actions.empty()) return "end";
  if (work.batch.together) return "together";
  if (actions.size() > 1) return "backward";
  return actions[0].work == Work::forward ? "forward" : actions[0].work == Work::input ? "input" : "weight";
}

/// `3F0`, as files of actions have them.
inline std::string name_of(const TimelineWork& work) {
  if (work.waits) return "waiting";
  return work.batch.actions.empty() ? "end of the step" : written(work.batch);
}

/// `mlp.down wgrad`: backward has several works of one kernel.
inline std::string name_of(const PassPicture::Span& span) { return span.phase == "forward" ? span.name : span.name + " " + span.phase; }

/// Who sends to whom, as a track of the sender.
inline std::string track_of(const TimelineMessage& m) { return "to stage " + std::to_string(m.to); }

}  // namespace opledger
