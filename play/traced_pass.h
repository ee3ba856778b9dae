#pragma once
#include <map>
#include <optional>
#include <vector>

#include "play/pass_pictures.h"
#include "play/step_trace.h"

/// One pass through a chunk as nodes of a trace: kernels form a chain, messages branch off between the kernels that
/// produce and those that read them.
namespace opledger {

/// The nodes of a pass; dependencies are positions in `nodes`.
struct TracedPass {
  std::vector<TraceNode> nodes;
  std::vector<std::uint32_t> begins;  ///< Nodes that depend on the nodes before the pass.
  std::vector<std::uint32_t> ends;    ///< Nodes that must end before the next pass.
  std::vector<std::uint32_t> loose;   ///< Messages for which only the end of the step waits.
};

/// A cache of traced passes.
class PassTracer {
 public:
  /// All arguments must outlive this object. `groups`: group of each communicator.
  PassTracer(Run& run, const std::map<WordId, std::int32_t>& groups, bool operators, StepTrace& into, Diagnostics& diagnostics);

  /// Returns the nodes of a pass; equal passes share one result. Returns null, with errors, if a formula can't be
  /// evaluated.
  const TracedPass* of(const StageClass::Part& part, const WorkPass& pass);

  /// Returns the node of a message, for `layers` layers at once. Returns nothing if the message isn't sent, or on an
  /// error (see `good`).
  std::optional<TraceNode> message(WordId message, double layers);
  /// Returns the position of a name in StepTrace::names, added on first use.
  std::uint32_t name(const std::string& text);
  /// Returns whether no error has occurred.
  bool good() const { return good_; }

 private:
  class Layers;
  struct Cost {
    double operations = 0, bytes = 0;
  };
  const PassWork* work_of(SegmentId segment, const std::vector<Phase>& phases);
  Cost cost_of(const KernelWork& kernel);
  std::string label(const KernelWork& kernel);

  Run& run_;
  const std::map<WordId, std::int32_t>& groups_;
  const bool operators_;
  StepTrace& out_;
  Diagnostics& diagnostics_;
  std::optional<SectionFormulas> section_;
  std::optional<LayerWorkReader> reader_;
  std::map<std::pair<SegmentId, std::vector<Phase>>, PassWork> work_by_pass_;
  std::map<std::pair<const StageClass::Part*, std::vector<Phase>>, TracedPass> passes_;
  std::map<std::pair<Phase, NodeId>, Cost> costs_;
  std::map<std::string, std::uint32_t> names_;
  bool good_ = true;
};

}  // namespace opledger
