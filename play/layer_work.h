#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "accounting/graph_elements.h"
#include "accounting/liveness.h"
#include "run/section_formulas.h"

/// The work of one layer while one microbatch passes, evaluated from the accounting's section `streams`
/// (docs/streams.md): kernels, messages and copies, with durations and dependencies. LayerTasks converts a PassWork to
/// tasks of the stream simulator.
namespace opledger {

/// A kernel in one phase.
struct KernelWork {
  Phase phase = Phase::forward;
  NodeId kernel;                         ///< First node of the kernel.
  double seconds = 0;                    ///< Sum over the nodes of the kernel.
  bool may_wait = false;                 ///< The kernel is deferrable: it may run later, when computing would otherwise idle.
  std::vector<std::size_t> waits_for{};  ///< Positions of deferrable kernels of the pass whose results this kernel reads.
};

/// A message of a layer in one phase. Positions refer to the kernels of the pass.
struct MessageWork {
  WordId message = 0;  ///< Element of the set of messages.
  Phase phase = Phase::forward;
  std::uint32_t network = 0;  ///< Number of the system's network whose stream carries the message.
  /// Seconds on the network; seconds of computing to copy into or out of a buffer.
  double seconds = 0, copying = 0;
  double slows = 0;  ///< Fraction of the computing speed lost while the message is under way, from 0 to 1.
  /// `stops`: the processor idles until the message has arrived. `ahead`: the message may begin with the previous
  /// layer (a prefetch), or last until the layer after the next begins.
  bool stops = false, ahead = false;
  /// Parts in which a hosting kernel computes, and the number of them that need no data of the message.
  std::uint32_t parts = 1, own = 0;
  std::vector<std::size_t> producers, readers;  ///< Kernels that produce the content, and kernels that read it.
  std::vector<std::size_t> hosts;               ///< Producers and readers that process the message part by part, as in a ring.
  std::optional<std::size_t> after{};           ///< Position of the previous message, if several collectives in a row redistribute the tensor.
};

/// The work of a layer in one pass, such as forward or the whole of backward.
struct PassWork {
  std::vector<Phase> phases;             ///< Phases of the pass, such as recompute, agrad and wgrad.
  std::vector<KernelWork> kernels;       ///< Kernels in order of execution.
  std::vector<MessageWork> messages;     ///< Messages that are sent in the pass.
  double copied_in = 0, copied_out = 0;  ///< Seconds of copies from the host and to the host.
  std::vector<double> copied;            ///< Seconds of both directions together, by position in `phases`; empty without copies in the accounting.

  /// Returns the seconds of the kernels and of copies to and from message buffers.
  double computing() const;
};

/// Passes of several microbatches that run interleaved, one lane each.
using InterleavedPasses = std::vector<PassWork>;

/// Limit of parts of a message, to bound the number of tasks.
inline constexpr std::uint32_t kMaxParts = 4096;

/// Evaluates the section's formulas for one layer of a segment at a time. All layers of a segment are equal.
class LayerWorkReader {
 public:
  /// All arguments must outlive the reader. The evaluator's sets must be filled.
  LayerWorkReader(SectionFormulas& section, Evaluator& evaluator, const GraphRun& graph, Diagnostics& diagnostics);

  /// Returns the passes of a layer of the segment, in the order of the section's list `passes`; entries whose
  /// condition is false are left out. Returns nothing, with errors, if a formula can't be evaluated.
  std::optional<std::vector<InterleavedPasses>> read(SegmentId segment);
  /// Returns one pass of a layer of the segment with these phases. Returns nothing, with errors, if a formula can't be
  /// evaluated.
  std::optional<PassWork> read_pass(SegmentId segment, const std::vector<Phase>& phases);

 private:
  using KernelOrder = std::vector<std::pair<Phase, NodeId>>;

  // Functions that return bool or an optional value report errors and then return false or nothing.
  std::optional<InterleavedPasses> read_interleaved(SegmentId segment, const Datum& pass);     ///< Reads one entry of `passes`.
  std::optional<std::vector<Phase>> phases_of(const Datum& words);                             ///< Parses names of phases.
  const KernelOrder& order_of(SegmentId segment);                                              ///< Returns the kernels of all phases in order.
  bool read_kernels(SegmentId segment, PassWork& out);                                         ///< Appends the kernels of the pass.
  bool read_kernel(Phase phase, NodeId kernel, PassWork& out);                                 ///< Appends one kernel.
  void find_waits(SegmentId segment, PassWork& out) const;                                     ///< Fills KernelWork::waits_for.
  bool read_message(WordId message, PassWork& out);                                            ///< Appends one message, unless it is not sent.
  bool read_message_nodes(WordId message, const Point& at, PassWork& pass, MessageWork& out);  ///< Fills producers, readers and hosts.
  bool read_copies(SegmentId segment, PassWork& out);                                          ///< Adds the copies from and to the host.
  Point in_phase(Point at, Phase phase) const;                                                 ///< Returns the point with this word of the set of phases.

  SectionFormulas& section_;
  Evaluator& evaluator_;
  const GraphRun& graph_;
  Diagnostics& diagnostics_;
  LivenessIndex index_;                                  ///< Input of the liveness analysis, which gives the order of kernels.
  IdVector<NodeId, std::vector<NodeId>> members_;        ///< Nodes of a kernel, by its first node.
  IdVector<SegmentId, std::vector<WordId>> messages_;    ///< Messages of each segment.
  std::vector<std::vector<std::size_t>> message_nodes_;  ///< Positions in the set of message nodes, by message.
  std::vector<const Transfer*> transfers_;               ///< The first transfer of each message.
  IdVector<SegmentId, KernelOrder> orders_;              ///< Kernels in order of execution; empty until first use.
};

}  // namespace opledger
