#pragma once
#include <map>
#include <optional>
#include <vector>

#include "play/pass_pictures.h"
#include "play/step_trace.h"

/// One pass through a chunk as nodes of a trace: kernels form a chain, messages branch off between the kernels that
/// produce and the kernels that read them. step_trace copies these nodes into the trace of each stage.
namespace opledger {

/// The nodes of a pass. Dependencies of nodes, and the following lists, are positions in `nodes`.
struct TracedPass {
  std::vector<TraceNode> nodes;       ///< Every node follows the nodes that it needs.
  std::vector<std::uint32_t> begins;  ///< Nodes that depend on the nodes before the pass, ascending.
  std::vector<std::uint32_t> ends;    ///< Nodes that must end before the next pass.
  std::vector<std::uint32_t> loose;   ///< Messages for which only the end of the step waits.
};

/// Creates the nodes of passes and messages, and caches passes.
class PassTracer {
 public:
  /// All arguments must outlive this object. `groups`: number of the group of ranks of each communicator. `operators`:
  /// every kernel has a node; otherwise kernels between two messages share one. Names are appended to `into.names`.
  /// Reports an error, and `good` is false, if the accounting has no section `streams` with `operations`.
  PassTracer(Run& run, const std::map<WordId, std::int32_t>& groups, bool operators, StepTrace& into, Diagnostics& diagnostics);

  /// Returns the nodes of a pass through the layers of a part; passes with the same part and phases share one result,
  /// which this object owns. Returns null, with errors, if a formula can't be evaluated or the nodes exceed
  /// kMaxTraceNodes.
  const TracedPass* of(const StageClass::Part& part, const WorkPass& pass);

  /// Returns the node of a message, whose time and bytes are multiplied by `layers`. Returns nothing if the message
  /// needs no network (a slice, or a single rank), or after an error, which makes `good` false.
  std::optional<TraceNode> message(WordId message, double layers);
  /// Returns the position of a name in StepTrace::names, added on first use.
  std::uint32_t name(const std::string& text);
  /// Returns whether no error has occurred.
  bool good() const { return good_; }

 private:
  class Layers;  ///< Builds the nodes of one pass.
  /// FLOPs of a kernel, and bytes that it moves.
  struct Cost {
    double operations = 0, bytes = 0;
  };
  // An error makes `good` false.
  const PassWork* work_of(SegmentId segment, const std::vector<Phase>& phases);  ///< Returns the work of a layer, evaluated on first use.
  Cost cost_of(const KernelWork& kernel);                                        ///< Returns the cost of a kernel in its phase, summed over its nodes.
  std::string label(const KernelWork& kernel);                                   ///< Returns the name of a kernel for people.

  Run& run_;
  const std::map<WordId, std::int32_t>& groups_;
  const bool operators_;
  StepTrace& out_;
  Diagnostics& diagnostics_;
  std::optional<SectionFormulas> section_;  ///< Section `streams`; nothing after an error of the constructor.
  std::optional<LayerWorkReader> reader_;
  std::map<std::pair<SegmentId, std::vector<Phase>>, PassWork> work_by_pass_;            ///< Memo of `work_of`.
  std::map<std::pair<const StageClass::Part*, std::vector<Phase>>, TracedPass> passes_;  ///< Memo of `of`.
  std::map<std::pair<Phase, NodeId>, Cost> costs_;                                       ///< Memo of `cost_of`.
  std::map<std::string, std::uint32_t> names_;                                           ///< Position of each name in StepTrace::names.
  bool good_ = true;
};

}  // namespace opledger
