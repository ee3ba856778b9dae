#include "play/pass_pictures.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "accounting/graph_engine.h"

namespace opledger {
namespace {

std::vector<Phase> phases_of(bool input, bool weight) {
  std::vector<Phase> out;
  if (input) out = {Phase::recompute, Phase::agrad};
  if (weight) out.push_back(Phase::wgrad);
  return out;
}

}  // namespace

PassPictures::PassPictures(Run& run, const StepSimulation& step, Timeline& into, Diagnostics& diagnostics)
    : run_(run), step_(step), out_(into), diagnostics_(diagnostics) {
  const Datum* section = find_section(run, "streams");
  if (section == nullptr) return;
  section_.emplace(*section, "streams", run.evaluator(), diagnostics);
  reader_.emplace(*section_, run.evaluator(), run.graph_run(), diagnostics);
}

std::vector<WorkPass> passes_of(const Batch& batch) {
  // Lists the passes (chunk and phases) of a batch, the actions that a stage runs as one unit. Each action becomes a
  // pass. An input gradient directly followed by the weight gradient of the same chunk and microbatch becomes a single
  // backward pass (`both`). Recomputation belongs to the pass with the input gradient, which reads the recomputed
  // results first.
  std::vector<WorkPass> out;
  for (std::size_t i = 0; i < batch.actions.size(); ++i) {
    const Action& a = batch.actions[i];
    const Action* next = i + 1 < batch.actions.size() ? &batch.actions[i + 1] : nullptr;
    const bool both =
        a.work == Work::input && next != nullptr && next->work == Work::weight && next->stage_chunk == a.stage_chunk && next->microbatch == a.microbatch;
    if (a.work == Work::forward)
      out.push_back({a.stage_chunk, {Phase::forward}});
    else
      out.push_back({a.stage_chunk, phases_of(a.work == Work::input, both || a.work == Work::weight)});
    if (both) ++i;
  }
  return out;
}

std::shared_ptr<const PassPicture> PassPictures::of(std::size_t stage, const Batch& batch) {
  // Looks up the picture of the batch, or simulates its passes, one lane for each. The key of the cache has the class
  // of the stage, and part and phases of every pass, but no microbatch: all microbatches look the same. The entry
  // exists before the simulation; after an error it stays null, so that the error isn't reported again.
  if (!section_) {
    diagnostics_.error({}, "the accounting has no section `streams`, so operators can't be shown");
    return nullptr;
  }
  const std::vector<WorkPass> passes = passes_of(batch);
  std::string key = fmt::format("{}", step_.class_of(stage));
  for (const WorkPass& p : passes) {
    key += fmt::format(" {}", static_cast<const void*>(&step_.part(stage, p.stage_chunk)));
    for (const Phase phase : p.phases) key += to_string(phase);
  }
  const auto [known, fresh] = known_.emplace(key, nullptr);
  if (!fresh) return known->second;
  OwnedTasks tasks;
  tasks_ = 0;
  std::vector<std::vector<Layer>> lanes(passes.size());
  for (std::size_t p = 0; p < passes.size(); ++p) {
    LayerTasks lane(tasks, static_cast<std::uint32_t>(p));
    if (!add_layers(step_.part(stage, passes[p].stage_chunk), passes[p], lane, lanes[p])) return nullptr;
  }
  const auto out = std::make_shared<PassPicture>();
  if (!picture(tasks, lanes, *out)) return nullptr;
  return known->second = out;
}

std::vector<SegmentId> layers_of(const Graph& graph, const StageClass::Part& part, const WorkPass& pass) {
  // `part.layers` has the number of layers of each segment. Neighboring segments with the same number `group` take
  // turns; a negative number means no group. Layer i of n in a segment has position (i + 1/2) / n in its group. A
  // stable sort by group and position therefore spreads the segments of a group evenly, in their ratio. Passes other
  // than forward visit the layers in reverse. The cost is O(n log n) in the number of layers.
  const auto& segments = graph.segments;
  struct Place {
    std::size_t group;
    double at;
    SegmentId segment;
  };
  std::vector<Place> places;
  std::size_t group = 0;
  for (const SegmentId s : segments.ids()) {
    if (s == SegmentId(0) || segments[s].group < 0 || segments[s].group != segments[s - 1].group) ++group;
    const double layers = part.layers[s.index()];
    for (double i = 0; i < layers; ++i) places.push_back({group, (i + 0.5) / layers, s});
  }
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return std::pair(a.group, a.at) < std::pair(b.group, b.at); });
  std::vector<SegmentId> out;
  for (const Place& p : places) out.push_back(p.segment);
  if (pass.phases[0] != Phase::forward) std::reverse(out.begin(), out.end());
  return out;
}

/// Appends the tasks of all layers of a chunk to `into`, in the order of the pass; `part.layers` has their number by
/// segment. Appends the layers to `layers`, which later give tasks their names. Limits are checked before tasks are
/// created: the number of layers, then the number of tasks of the whole picture (`tasks_`). Returns false, with an
/// error, above a limit or if a formula can't be evaluated.
bool PassPictures::add_layers(const StageClass::Part& part, const WorkPass& pass, LayerTasks& into, std::vector<Layer>& layers) {
  double count = 0;
  for (const double n : part.layers) count += n;
  if (count > static_cast<double>(kMaxTimelineItems)) {
    diagnostics_.error({}, fmt::format("a stage of {:.0f} layers is too large to be shown operator by operator", count));
    return false;
  }
  for (const SegmentId s : layers_of(run_.graph(), part, pass)) {
    const PassWork* work = work_of(s, pass.phases);
    if (work == nullptr) return false;
    layers.emplace_back(s, work);
    tasks_ += max_tasks(*work);
    if (tasks_ > kMaxTimelineItems) {
      diagnostics_.error({},
                         fmt::format("kernels and parts of messages are too many to be shown operator by operator: more than {} in a pass", kMaxTimelineItems));
      return false;
    }
    into.add(*work);
  }
  return true;
}

const PassWork* PassPictures::work_of(SegmentId segment, const std::vector<Phase>& phases) {
  const auto key = std::pair(segment, phases);
  const auto known = work_by_pass_.find(key);
  if (known != work_by_pass_.end()) return &known->second;
  std::optional<PassWork> work = reader_->read_pass(segment, phases);
  return work ? &work_by_pass_.emplace(key, std::move(*work)).first->second : nullptr;
}

bool PassPictures::picture(const OwnedTasks& tasks, const std::vector<std::vector<Layer>>& lanes, PassPicture& out) {
  // Simulates the tasks of all lanes, and converts their intervals to spans of the picture. The simulator lists
  // intervals of messages and copies; a task of computing (stream 0) has a single interval. Both are sorted by start,
  // so that `add_span` can join consecutive intervals of one kernel or message. Tasks without duration, such as
  // borders of layers, are not shown. `owners` and `lanes` lead from a task to its layer, whose work names the kernel
  // or message.
  const auto simulated = simulate_streams(tasks.tasks);
  if (!simulated) {
    diagnostics_.error(section_->datum().span(), "kernels and messages of a layer wait for each other: see `streams` of the accounting");
    return false;
  }
  out.length = simulated->end;
  std::vector<CarriedTask> shown = simulated->carried;
  for (TaskId t = 0; t < tasks.tasks.size(); ++t) {
    if (tasks.tasks[t].stream == 0) shown.push_back({t, simulated->spans[t].start, simulated->spans[t].end});
  }
  std::stable_sort(shown.begin(), shown.end(), [](const CarriedTask& a, const CarriedTask& b) { return a.from < b.from; });
  std::vector<std::size_t> last;  // last span of each track
  for (const auto& [t, from, to] : shown) {
    const TaskOwner& owner = tasks.owners[t];
    if (to <= from) continue;
    const auto& [segment, pass] = lanes[owner.lane][owner.layer];
    const bool sent = owner.kind == TaskOwner::Kind::message;
    const auto on = track(tasks.tasks[t].stream, sent ? &pass->messages[owner.index] : nullptr);
    const auto label = name(owner, *pass);
    if (!on || !label) return false;
    const Phase phase = owner.kind == TaskOwner::Kind::kernel ? pass->kernels[owner.index].phase : sent ? pass->messages[owner.index].phase : pass->phases[0];
    add_span({*on, from, to, *label, to_string(phase), run_.graph().segments[segment].name, owner.layer}, last, out);
  }
  return true;
}

/// Appends a span, or extends the last span of the track if it ends there and has the same name, phase, segment and
/// layer: consecutive parts of one kernel or message.
void PassPictures::add_span(PassPicture::Span span, std::vector<std::size_t>& last, PassPicture& out) {
  const auto same = [](const PassPicture::Span& a, const PassPicture::Span& b) {
    return std::tie(a.name, a.phase, a.segment, a.layer) == std::tie(b.name, b.phase, b.segment, b.layer);
  };
  if (last.size() <= span.track) last.resize(span.track + 1, out.spans.max_size());
  std::size_t& before = last[span.track];
  if (before < out.spans.size() && out.spans[before].end == span.start && same(out.spans[before], span)) {
    out.spans[before].end = span.end;
    return;
  }
  before = out.spans.size();
  out.spans.push_back(std::move(span));
}

/// Returns the track of a stream, added with its name on first use. Returns nothing if the name can't be evaluated.
std::optional<std::size_t> PassPictures::track(std::uint32_t stream, const MessageWork* message) {
  if (stream == 0) return 0;
  const auto known = tracks_.find(stream);
  if (known != tracks_.end()) return known->second;
  std::optional<std::string> label = stream == kCopiesIn ? "copies from the host" : "copies to the host";
  if (message != nullptr) label = section_->text({"names", "network"}, run_.evaluator().choose(nowhere(), kMessageSet, message->message));
  if (!label) return std::nullopt;
  out_.tracks.push_back(*label);
  return tracks_[stream] = out_.tracks.size() - 1;
}

std::optional<std::string> PassPictures::name(const TaskOwner& owner, const PassWork& pass) {
  using Kind = TaskOwner::Kind;
  if (owner.kind == Kind::copied_in || owner.kind == Kind::copied_out) return "copies";
  if (owner.kind == Kind::kernel)
    return section_->text({"names", "node"}, run_.evaluator().choose(nowhere(), kNodeSet, pass.kernels[owner.index].kernel.number()));
  const auto message = section_->text({"names", "message"}, run_.evaluator().choose(nowhere(), kMessageSet, pass.messages[owner.index].message));
  return message && owner.kind == Kind::copying ? std::optional("buffer of " + *message) : message;
}

}  // namespace opledger
