#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "accounting/graph_elements.h"
#include "accounting/liveness.h"
#include "run/section_formulas.h"

/// What a layer gives its streams to do while one microbatch passes it, from the accounting's formulas (section `streams`, docs/streams.md).
namespace opledger {

/// What a kernel computes in a phase.
struct KernelWork {
  Phase phase = Phase::forward;
  NodeId kernel;  ///< Its first node.
  double seconds = 0;
  bool may_wait = false;                 ///< See StreamTask.
  std::vector<std::size_t> waits_for{};  ///< Works of the pass that may wait, and whose results it needs.
};

struct MessageWork {
  WordId message = 0;  ///< Of the set of messages.
  Phase phase = Phase::forward;
  std::uint32_t network = 0;          ///< Of the system's, whose stream carries it.
  double seconds = 0, copying = 0;    ///< On the network; computing, to bring it into a buffer or out of it.
  double slows = 0;                   ///< See StreamTask.
  bool stops = false, ahead = false;  ///< Computing stands still meanwhile; it may begin with the layer before, and last until that after the next begins.
  std::uint32_t parts = 1, own = 0;   ///< In so many parts its host computes; of these so many need nothing of it.
  std::vector<std::size_t> makers, readers;  ///< Works of the pass.
  std::vector<std::size_t> hosts;            ///< Of these, those that compute it part by part.
  std::optional<std::size_t> after{};        ///< The message of the pass that brings its tensor half of the way.
};

/// A layer's part of what is done in one go: forward, say, or all of backward.
struct PassWork {
  std::vector<Phase> phases;
  std::vector<KernelWork> kernels;  ///< In the order in which they run.
  std::vector<MessageWork> messages;
  double copied_in = 0, copied_out = 0;  ///< Seconds from the host and to it.
  std::vector<double> copied;            ///< Of both, by phase.

  double computing() const;  ///< Seconds of its kernels, and of copying messages.
};

using InterleavedPasses = std::vector<PassWork>;

/// Parts of a message beyond which it is not cut any finer.
inline constexpr std::uint32_t kMaxParts = 4096;

class LayerWorkReader {
 public:
  /// All must outlive it. The evaluator's sets are filled.
  LayerWorkReader(SectionFormulas& section, Evaluator& evaluator, const GraphRun& graph, Diagnostics& diagnostics);

  /// The passes of one layer, as the section lists them; of each those of the microbatches that it weaves together. Empty, with errors, if a formula can't be evaluated.
  std::optional<std::vector<InterleavedPasses>> read(SegmentId segment);
  std::optional<PassWork> read_pass(SegmentId segment, const std::vector<Phase>& phases);

 private:
  using Works = std::vector<std::pair<Phase, NodeId>>;

  std::optional<InterleavedPasses> read_interleaved(SegmentId segment, const Datum& pass);
  std::optional<std::vector<Phase>> phases_of(const Datum& words);
  const Works& order_of(SegmentId segment);
  bool read_kernels(SegmentId segment, PassWork& out);
  bool read_kernel(Phase phase, NodeId kernel, PassWork& out);
  void find_waits(SegmentId segment, PassWork& out) const;
  bool read_message(WordId message, PassWork& out);
  bool read_message_nodes(WordId message, const Point& at, PassWork& pass, MessageWork& out);
  bool read_copies(SegmentId segment, PassWork& out);
  Point in_phase(Point at, Phase phase) const;

  SectionFormulas& section_;
  Evaluator& evaluator_;
  const GraphRun& graph_;
  Diagnostics& diagnostics_;
  LivenessIndex index_;
  IdVector<NodeId, std::vector<NodeId>> members_;        ///< Nodes of a kernel, by its first.
  IdVector<SegmentId, std::vector<WordId>> messages_;    ///< By segment.
  std::vector<std::vector<std::size_t>> message_nodes_;  ///< By message: positions in the set of neighbours.
  std::vector<const Transfer*> transfers_;               ///< By message: the first of its own.
  IdVector<SegmentId, Works> orders_;                    ///< In which each runs; empty: not asked for yet.
};

}  // namespace opledger
