#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "play/layer_tasks.h"
#include "play/timeline.h"

/// The content of a batch in a timeline: the kernels and messages of all layers of a chunk, simulated on streams.
namespace opledger {

/// The pass of one microbatch through a chunk of the model's layers.
struct WorkPass {
  std::size_t stage_chunk;    ///< Number of the chunk along the forward pass.
  std::vector<Phase> phases;  ///< Phases that run together, such as recompute and agrad; never empty.
};
/// Returns the passes of a batch, in the order of its actions. An input gradient forms one pass with the weight
/// gradient that directly follows for the same chunk and microbatch; every other action forms its own. Several passes
/// run interleaved.
std::vector<WorkPass> passes_of(const Batch& batch);

/// Returns the segment of each layer of a part, in the order of a pass: ascending for forward, else descending. Layers
/// of segments in one group are interleaved evenly.
std::vector<SegmentId> layers_of(const Graph& graph, const StageClass::Part& part, const WorkPass& pass);

/// Simulates the kernels and messages inside batches, and caches the results.
class PassPictures {
 public:
  /// All arguments must outlive this object. Names of streams are appended to `into.tracks`.
  PassPictures(Run& run, const StepSimulation& step, Timeline& into, Diagnostics& diagnostics);

  /// Returns the content of a batch of a stage; batches with the same parts and phases share one picture. Returns null
  /// on failure; the error of a picture is reported once.
  std::shared_ptr<const PassPicture> of(std::size_t stage, const Batch& batch);

 private:
  using Layer = std::pair<SegmentId, const PassWork*>;  ///< The segment and the work of a layer.

  // Functions report errors, and then return false, null or nothing.
  /// Appends the tasks of a chunk's layers to `into`, and the layers to `layers`.
  bool add_layers(const StageClass::Part& part, const WorkPass& pass, LayerTasks& into, std::vector<Layer>& layers);
  const PassWork* work_of(SegmentId segment, const std::vector<Phase>& phases);  ///< Returns the work of a layer, evaluated on first use.
  /// Simulates tasks and fills the spans of a picture; `lanes` has the layers of each lane.
  bool picture(const OwnedTasks& tasks, const std::vector<std::vector<Layer>>& lanes, PassPicture& out);
  /// Appends a span, or extends the last span of its track; `last` has the position of the last span by track.
  static void add_span(PassPicture::Span span, std::vector<std::size_t>& last, PassPicture& out);
  /// Returns the track of a stream, added on first use. `message`: a message on the stream; null for other tasks.
  std::optional<std::size_t> track(std::uint32_t stream, const MessageWork* message);
  std::optional<std::string> name(const TaskOwner& owner, const PassWork& pass);  ///< Returns the label of a task.

  Run& run_;
  const StepSimulation& step_;
  Timeline& out_;
  Diagnostics& diagnostics_;
  std::optional<SectionFormulas> section_;                                     ///< Section `streams` of the accounting; nothing if the accounting has none.
  std::optional<LayerWorkReader> reader_;                                      ///< Reader of the section; nothing without one.
  std::map<std::pair<SegmentId, std::vector<Phase>>, PassWork> work_by_pass_;  ///< Memo of `work_of`.
  std::map<std::string, std::shared_ptr<const PassPicture>> known_;            ///< Pictures by stage class, parts and phases.
  std::map<std::uint32_t, std::size_t> tracks_;                                ///< Track of each stream.
  std::size_t tasks_ = 0;                                                      ///< Upper bound of the tasks of the current picture.
};

}  // namespace opledger
