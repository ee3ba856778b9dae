#include "play/timeline.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "accounting/graph_engine.h"
#include "play/pass_pictures.h"

namespace opledger {
namespace {

/// An observer of the simulation that records events of the shown microbatches, and the activations saved on each
/// stage.
class Recorder {
 public:
  Recorder(const StepSimulation& step, std::size_t microbatches, Timeline& out) : step_(step), most_(microbatches), out_(out) {
    out_.schedule = step.schedule();
    out_.size = step.size();
    out_.stages.resize(out_.size.stages);
    for (std::size_t k = 0; k < out_.stages.size(); ++k) out_.stages[k].resident = step.resident(k);
  }

  void add(const SimulatedBatch& simulated) {
    TimelineStage& stage = out_.stages[simulated.stage];
    count(stage, simulated);
    Batch shown{{}, simulated.batch.is_concurrent};
    std::copy_if(simulated.batch.actions.begin(), simulated.batch.actions.end(), std::back_inserter(shown.actions),
                 [&](const Action& a) { return is_shown(a); });
    if (!shown.actions.empty()) stage.tasks.push_back({simulated.start, simulated.end, std::move(shown), nullptr});
  }

  void add(const SimulatedMessage& m) {
    if (is_shown(m.action)) out_.messages.push_back({m.from, m.to, m.leaves, m.arrives, m.action, m.needed_by});
  }

 private:
  bool is_shown(const Action& a) const { return most_ == 0 || a.microbatch < most_; }

  /// Appends the levels of saved activations at the start and the end of a batch. Activations of a forward are saved
  /// from the beginning of its batch; the end of a weight gradient's batch frees them. A level holds until the next
  /// one, and a later change at the same time replaces it; a batch that neither saves nor frees adds none. When no pair
  /// of chunk and microbatch is in flight, the bytes are reset to 0, which drops rounding errors.
  void count(TimelineStage& stage, const SimulatedBatch& simulated) {
    TimelineLevel now = stage.levels.empty() ? TimelineLevel{} : stage.levels.back();
    const std::size_t k = simulated.stage, before = now.in_flight;
    for (const Action& a : simulated.batch.actions) {
      if (a.work != Work::forward) continue;
      ++now.in_flight;
      now.activations += step_.saved_bytes(k, a.stage_chunk);
    }
    if (now.in_flight != before) push(stage, now, simulated.start);
    const std::size_t begun = now.in_flight;
    for (const Action& a : simulated.batch.actions) {
      if (a.work != Work::weight) continue;
      --now.in_flight;
      now.activations = now.in_flight == 0 ? 0 : now.activations - step_.saved_bytes(k, a.stage_chunk);
    }
    if (now.in_flight != begun) push(stage, now, simulated.end);
  }

  static void push(TimelineStage& stage, TimelineLevel level, double at) {
    level.at = at;
    if (!stage.levels.empty() && stage.levels.back().at == at) stage.levels.pop_back();
    stage.levels.push_back(level);
  }

  const StepSimulation& step_;
  const std::size_t most_;
  Timeline& out_;
};

/// Returns the number of microbatches to show: as requested, or as many as have at most `options.tasks` tasks, at least
/// one; 0 for all.
std::size_t shown_microbatches(const StepSize& size, const TimelineOptions& options) {
  const std::size_t tasks = kWorkKinds * size.stage_chunks * size.microbatches;
  if (options.tasks == 0 || tasks <= options.tasks || options.microbatches > 0) return options.microbatches;
  return std::max<std::size_t>(1, options.tasks / (kWorkKinds * size.stage_chunks));
}

/// Checks the number of tasks before the simulation. Returns false, with an error, above the limit.
bool is_within_limit(const StepSize& size, std::size_t microbatches, Diagnostics& diagnostics) {
  const std::size_t shown = microbatches == 0 ? size.microbatches : std::min<std::size_t>(microbatches, size.microbatches);
  if (kWorkKinds * size.stage_chunks * shown <= kMaxTimelineItems) return true;
  diagnostics.error({}, fmt::format("a picture of {} microbatches on {} stages would have more than {} tasks: show fewer with `--microbatches N`", shown,
                                    size.stages, kMaxTimelineItems));
  return false;
}

/// Checks the number of tasks, kernels and messages of all processes after the simulation.
bool is_within_limit(const Timeline& timeline, Diagnostics& diagnostics) {
  std::size_t all = 0;
  for (const TimelineProcess& p : timeline.processes) {
    all += timeline.stages[p.stage].tasks.size();
    for (const TimelineTask& w : timeline.stages[p.stage].tasks) all += w.inside != nullptr ? w.inside->spans.size() : 0;
    if (all <= kMaxTimelineItems) continue;
    diagnostics.error({},
                      fmt::format("a picture of {} ranks would have more than {} tasks and operators: show fewer with `--microbatches N` or `--ranks kinds`",
                                  timeline.processes.size(), kMaxTimelineItems));
    return false;
  }
  return true;
}

/// Adds the time after the end of the step in which the ranks of all stages wait.
void add_deferred(double seconds, Timeline& out) {
  if (seconds <= 0) return;
  const bool whole = out.microbatches == 0 || out.microbatches >= out.size.microbatches;
  for (TimelineStage& stage : out.stages) {
    if (whole) stage.tasks.push_back({out.end, out.end + seconds, {}, nullptr, true});
  }
  out.waits = seconds;
  out.end += seconds;
}

bool add_processes(Run& run, const StepSimulation& step, TimelineOptions::Ranks ranks, Timeline& out, Diagnostics& diagnostics) {
  // Adds one process for each stage, class of stages or rank.
  if (ranks == TimelineOptions::Ranks::all) return add_ranks(run, out, diagnostics);
  std::set<std::size_t> seen;
  for (std::size_t k = 0; k < out.stages.size(); ++k) {
    const bool kinds = ranks == TimelineOptions::Ranks::kinds;
    if (kinds && !seen.insert(step.class_of(k)).second) continue;
    out.processes.push_back({kinds ? "stage " + step.classes()[step.class_of(k)].name() : fmt::format("stage {}", k), k, 0});
  }
  return true;
}

bool add_passes(Run& run, const StepSimulation& step, Timeline& out, Diagnostics& diagnostics) {
  // Adds the kernels and messages inside each task of every shown stage. Several rows may show one stage, whose tasks
  // are processed once; equal batches share their picture. Tasks without actions (end of the step, waiting) have none.
  out.operators = true;
  PassPictures pictures(run, step, out, diagnostics);
  std::set<std::size_t> shown;
  for (const TimelineProcess& p : out.processes) {
    if (!shown.insert(p.stage).second) continue;
    for (TimelineTask& work : out.stages[p.stage].tasks) {
      if (work.batch.actions.empty()) continue;
      work.inside = pictures.of(p.stage, work.batch);
      if (work.inside == nullptr) return false;
    }
  }
  return true;
}

}  // namespace

bool add_ranks(Run& run, Timeline& out, Diagnostics& diagnostics) {
  // Appends one process for each rank. The coordinate of a rank along an axis is rank / stride mod degree. Axes that
  // cut layers into stages form the stage number in mixed radix, outermost axis first; the other axes form the place,
  // the rank's index on its stage. The cost is O(ranks · axes).
  struct MeshAxis {
    std::size_t degree, stride;
    bool stages;
  };
  const Annotations& notes = run.annotations();
  const Elements& axes = run.evaluator().elements(kAxisSet);
  std::vector<MeshAxis> all;
  std::size_t ranks = 1, stages = 1;
  for (std::size_t a = 0; a < axes.names.size(); ++a) {
    const auto number = [&](const char* field) { return static_cast<std::size_t>(axes.fields.at(field)[a].scalar.value); };
    const bool cuts = std::any_of(notes.layers.begin(), notes.layers.end(), [&](AxisId id) { return notes.mesh.axes[id].name == axes.names[a]; });
    all.push_back({number("degree"), number("stride"), cuts});
    ranks *= all.back().degree;
    stages *= cuts ? all.back().degree : 1;
  }
  if (ranks > kMaxTimelineItems || stages != out.size.stages) {
    diagnostics.error({}, ranks > kMaxTimelineItems
                              ? fmt::format("{} ranks are too many for a picture: at most {}", ranks, kMaxTimelineItems)
                              : fmt::format("the mesh has {} ranks along the pipeline, but the step has {} stages, so ranks can't be assigned to stages",
                                            stages, out.size.stages));
    return false;
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    TimelineProcess p{fmt::format("rank {}", rank), 0, 0};
    for (const MeshAxis& a : all) {
      std::size_t& number = a.stages ? p.stage : p.place;
      number = number * a.degree + rank / a.stride % a.degree;
    }
    p.name += fmt::format(" (stage {})", p.stage);
    out.processes.push_back(std::move(p));
  }
  return true;
}

double Timeline::busiest() const {
  double out = 0;
  for (const TimelineStage& stage : stages) out = std::max(out, stage.simulated.busy);
  return out;
}

std::map<std::pair<std::size_t, std::size_t>, std::size_t> Timeline::placed() const {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> out;
  for (std::size_t p = 0; p < processes.size(); ++p) out[{processes[p].stage, processes[p].place}] = p;
  return out;
}

std::size_t Timeline::places() const {
  std::size_t out = 1;
  for (const TimelineProcess& p : processes) out = std::max(out, p.place + 1);
  return out;
}

std::optional<Timeline> timeline(Run& run, const TimelineOptions& options, Diagnostics& diagnostics) {
  // Simulates a step and returns it as events. The simulation streams its events into the recorder, which adds shown
  // batches and messages to `out`, so that hidden microbatches take no memory. The end of the step and the waiting
  // after it become tasks without actions, but only if all microbatches are shown. Processes (rows) and the kernels
  // inside tasks are added last. The limit is checked before the simulation by microbatches, and afterwards with all
  // rows and kernels.
  const auto step = StepSimulation::prepare(run.evaluator(), run, run.graph_run(), true, diagnostics);
  if (step == nullptr) return std::nullopt;
  Timeline out;
  out.microbatches = shown_microbatches(step->size(), options);
  if (!is_within_limit(step->size(), out.microbatches, diagnostics)) return std::nullopt;
  out.tracks = {"compute"};
  Recorder recorder(*step, out.microbatches, out);
  const SimulationObserver watcher = {[&](const SimulatedBatch& b) { recorder.add(b); }, [&](const SimulatedMessage& m) { recorder.add(m); }};
  const std::optional<SimulatedStep> simulated = step->simulate(diagnostics, watcher);
  if (!simulated) return std::nullopt;
  out.work_end = out.end = simulated->step;
  for (std::size_t k = 0; k < out.stages.size(); ++k) {
    out.stages[k].simulated = simulated->stages[k];
    const bool whole = out.microbatches == 0 || out.microbatches >= out.size.microbatches;
    if (whole && step->end(k) > 0) out.stages[k].tasks.push_back({simulated->step, simulated->step + step->end(k), {}, nullptr});
    out.end = std::max(out.end, simulated->step + step->end(k));
  }
  add_deferred(step->waits(), out);
  if (!add_processes(run, *step, options.ranks, out, diagnostics)) return std::nullopt;
  if (options.operators && !add_passes(run, *step, out, diagnostics)) return std::nullopt;
  return is_within_limit(out, diagnostics) ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace opledger
