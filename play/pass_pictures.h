#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "play/layer_tasks.h"
#include "play/timeline.h"

/// The content of a batch in a timeline: all layers of a chunk, simulated on streams.
namespace opledger {

/// The way of one microbatch through a chunk.
struct WorkPass {
  std::size_t stage_chunk;
  std::vector<Phase> phases;
};
/// Returns the passes of a batch: actions for one chunk and microbatch form one pass. Several passes run interleaved.
std::vector<WorkPass> passes_of(const Batch& batch);

/// Returns the layers of a part in the order of a pass. Layers of segments in one group are interleaved evenly.
std::vector<SegmentId> layers_of(const Graph& graph, const StageClass::Part& part, const WorkPass& pass);

/// A cache of simulated passes.
class PassPictures {
 public:
  /// All arguments must outlive this object.
  PassPictures(Run& run, const StepSimulation& step, Timeline& into, Diagnostics& diagnostics);

  /// Returns the content of a batch of a stage; equal batches share one picture. Returns null, with errors, on
  /// failure.
  std::shared_ptr<const PassPicture> of(std::size_t stage, const Batch& batch);

 private:
  using Layer = std::pair<SegmentId, const PassWork*>;

  bool add_layers(const StageClass::Part& part, const WorkPass& pass, LayerTasks& into, std::vector<Layer>& layers);
  const PassWork* work_of(SegmentId segment, const std::vector<Phase>& phases);
  bool picture(const OwnedTasks& tasks, const std::vector<std::vector<Layer>>& lanes, PassPicture& out);
  static void add_span(PassPicture::Span span, std::vector<std::size_t>& last, PassPicture& out);
  std::optional<std::size_t> track(std::uint32_t stream, const MessageWork* message);
  std::optional<std::string> name(const TaskOwner& owner, const PassWork& pass);

  Run& run_;
  const StepSimulation& step_;
  Timeline& out_;
  Diagnostics& diagnostics_;
  std::optional<SectionFormulas> section_;
  std::optional<LayerWorkReader> reader_;
  std::map<std::pair<SegmentId, std::vector<Phase>>, PassWork> work_by_pass_;
  std::map<std::string, std::shared_ptr<const PassPicture>> known_;
  std::map<std::uint32_t, std::size_t> tracks_;  ///< Track of each stream.
  std::size_t tasks_ = 0;                        ///< Tasks of the current picture.
};

}  // namespace opledger
