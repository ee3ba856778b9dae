#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "play/layer_tasks.h"
#include "play/timeline.h"

/// What goes on inside the works of a played step: all layers of a piece, on streams.
namespace opledger {

/// What one microbatch does in a work: its way through a piece of the model.
struct WorkPass {
  std::size_t piece;
  std::vector<Phase> phases;
};
/// Actions for one piece and microbatch are one pass; of several each goes on where another waits.
std::vector<WorkPass> passes_of(const Batch& batch);

/// Layers of a part in the order in which a pass goes through them; those of a group, which take turns, as evenly as they can.
std::vector<SegmentId> layers_of(const Graph& graph, const StageClass::Part& part, const WorkPass& pass);

class PassPictures {
 public:
  /// All must outlive it.
  PassPictures(Run& run, const StepSimulation& step, Timeline& into, Diagnostics& diagnostics);

  /// Of a work of a stage; the same for works that are alike. Null, with errors, if it can't be told.
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
  std::map<std::pair<SegmentId, std::vector<Phase>>, PassWork> works_;
  std::map<std::string, std::shared_ptr<const PassPicture>> known_;
  std::map<std::uint32_t, std::size_t> tracks_;  ///< By stream.
  std::size_t tasks_ = 0;                        ///< Of the picture at hand.
};

}  // namespace opledger
