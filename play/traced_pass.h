#pragma once
#include <map>
#include <optional>
#include <vector>

#include "play/pass_pictures.h"
#include "play/step_trace.h"

/// A microbatch's way through a piece of the model as nodes of a trace: kernels one behind the other, messages beside them between those that make and those that read them.
namespace opledger {

/// Needs are positions in `nodes`.
struct TracedPass {
  std::vector<TraceNode> nodes;
  std::vector<std::uint32_t> begins;  ///< Nodes that need what is before the pass.
  std::vector<std::uint32_t> ends;    ///< What must be done before the next one.
  std::vector<std::uint32_t> loose;   ///< Messages that nothing of the step but its end waits for.
};

class PassTracer {
 public:
  /// All must outlive it. `groups`: by communicator.
  PassTracer(Run& run, const std::map<WordId, std::int32_t>& groups, bool operators, StepTrace& into, Diagnostics& diagnostics);

  /// Null, with errors, if it can't be told. The same for equal passes.
  const TracedPass* of(const StageClass::Part& part, const WorkPass& pass);

  /// What the accounting says of a message; `layers` of them at once. Empty: nobody sends it. With errors: it can't be told.
  std::optional<TraceNode> message(WordId message, double layers);
  std::uint32_t name(const std::string& text);
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
  std::map<std::pair<SegmentId, std::vector<Phase>>, PassWork> works_;
  std::map<std::pair<const StageClass::Part*, std::vector<Phase>>, TracedPass> passes_;
  std::map<std::pair<Phase, NodeId>, Cost> costs_;
  std::map<std::string, std::uint32_t> names_;
  bool good_ = true;
};

}  // namespace opledger
