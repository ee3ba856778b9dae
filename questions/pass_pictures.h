#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "questions/timeline.h"
#include "run/layer_tasks.h"

/// What goes on inside the works of a played step: all layers of a piece, on streams.
namespace opledger {

class PassPictures {
 public:
  /// All must outlive it.
  PassPictures(Run& run, const PlayedStep& step, Timeline& into, Diagnostics& diagnostics);

  /// Of a work of a stage; the same for works that are alike. Null, with errors, if it can't be told.
  std::shared_ptr<const PassPicture> of(std::size_t stage, const Batch& batch);

 private:
  /// What one microbatch does in a work.
  struct Pass {
    std::size_t piece;
    std::vector<Phase> phases;
  };
  using Layer = std::pair<SegmentId, const PassWork*>;

  static std::vector<Pass> passes_of(const Batch& batch);
  std::vector<SegmentId> segments_of(const StageClass::Part& part) const;
  bool add_layers(const StageClass::Part& part, const Pass& pass, LayerTasks& into, std::vector<Layer>& layers);
  const PassWork* work_of(SegmentId segment, const std::vector<Phase>& phases);
  bool picture(const OwnedTasks& tasks, const std::vector<std::vector<Layer>>& lanes, PassPicture& out);
  static void add_span(PassPicture::Span span, std::vector<std::size_t>& last, PassPicture& out);
  std::optional<std::size_t> track(std::uint32_t stream, const MessageWork* message);
  std::optional<std::string> name(const TaskOwner& owner, const PassWork& pass);

  Run& run_;
  const PlayedStep& step_;
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
