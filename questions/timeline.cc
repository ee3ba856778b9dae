#include "questions/timeline.h"

#include <fmt/core.h>

#include <algorithm>

namespace opledger {
namespace {

class Recorder {
 public:
  Recorder(const PlayedStep& step, std::size_t microbatches, Timeline& out) : step_(step), most_(microbatches), out_(out) {
    out_.schedule = step.schedule();
    out_.size = step.size();
    out_.stages.resize(out_.size.stages);
    for (std::size_t k = 0; k < out_.stages.size(); ++k) out_.stages[k].standing = step.standing(k);
  }

  void add(const PlayedBatch& played) {
    TimelineStage& stage = out_.stages[played.stage];
    count(stage, played);
    Batch shown{{}, played.batch.together};
    std::copy_if(played.batch.actions.begin(), played.batch.actions.end(), std::back_inserter(shown.actions), [&](const Action& a) { return is_shown(a); });
    if (!shown.actions.empty()) stage.works.push_back({played.start, played.end, std::move(shown)});
  }

  void add(const PlayedMessage& m) {
    if (is_shown(m.action)) out_.messages.push_back({m.from, m.to, m.leaves, m.arrives, m.action, m.needed_by});
  }

 private:
  bool is_shown(const Action& a) const { return most_ == 0 || a.microbatch < most_; }

  /// Forwards begin to keep when they begin; what weight gradients were for goes when they end.
  void count(TimelineStage& stage, const PlayedBatch& played) {
    TimelineLevel now = stage.levels.empty() ? TimelineLevel{} : stage.levels.back();
    const std::size_t k = played.stage, before = now.in_flight;
    for (const Action& a : played.batch.actions) {
      if (a.work != Work::forward) continue;
      ++now.in_flight;
      now.activations += step_.kept(k, a.piece);
    }
    if (now.in_flight != before) push(stage, now, played.start);
    const std::size_t begun = now.in_flight;
    for (const Action& a : played.batch.actions) {
      if (a.work != Work::weight) continue;
      --now.in_flight;
      now.activations = now.in_flight == 0 ? 0 : now.activations - step_.kept(k, a.piece);
    }
    if (now.in_flight != begun) push(stage, now, played.end);
  }

  static void push(TimelineStage& stage, TimelineLevel level, double at) {
    level.at = at;
    if (!stage.levels.empty() && stage.levels.back().at == at) stage.levels.pop_back();
    stage.levels.push_back(level);
  }

  const PlayedStep& step_;
  const std::size_t most_;
  Timeline& out_;
};

/// Before anything is played: whether there is not too much to show.
bool is_small(const StepSize& size, std::size_t microbatches, Diagnostics& diagnostics) {
  const std::size_t shown = microbatches == 0 ? size.microbatches : std::min<std::size_t>(microbatches, size.microbatches);
  if (kWorks * size.pieces * shown <= kMostPictured) return true;
  diagnostics.error({}, fmt::format("a picture of {} microbatches on {} stages would have more than {} works: show fewer with `--microbatches N`", shown,
                                    size.stages, kMostPictured));
  return false;
}

}  // namespace

double Timeline::busiest() const {
  double out = 0;
  for (const TimelineStage& stage : stages) out = std::max(out, stage.played.busy);
  return out;
}

std::optional<Timeline> timeline(Run& run, std::size_t microbatches, Diagnostics& diagnostics) {
  const auto step = PlayedStep::prepare(run.evaluator(), run, run.graph_run(), true, diagnostics);
  if (step == nullptr || !is_small(step->size(), microbatches, diagnostics)) return std::nullopt;
  Timeline out;
  Recorder recorder(*step, microbatches, out);
  const PlayWatcher watcher = {[&](const PlayedBatch& b) { recorder.add(b); }, [&](const PlayedMessage& m) { recorder.add(m); }};
  const std::optional<Played> played = step->play(diagnostics, watcher);
  if (!played) return std::nullopt;
  out.work_end = out.end = played->step;
  for (std::size_t k = 0; k < out.stages.size(); ++k) {
    out.stages[k].played = played->stages[k];
    const bool whole = microbatches == 0 || microbatches >= out.size.microbatches;
    if (whole && step->end(k) > 0) out.stages[k].works.push_back({played->step, played->step + step->end(k), {}});
    out.end = std::max(out.end, played->step + step->end(k));
  }
  return out;
}

}  // namespace opledger
