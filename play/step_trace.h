#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "play/timeline.h"
#include "questions/rank_groups.h"

/// One step of a run as a graph of nodes for each rank: computing, collectives, sends and receives, with
/// dependencies. Network simulators replay such traces with times of their own. Ranks of a stage have equal nodes,
/// with different partners.
namespace opledger {

/// A node of a trace.
struct TraceNode {
  enum class Kind : std::uint8_t { compute, collective, send, receive };
  Kind kind = Kind::compute;
  Collective collective = Collective::all_reduce;  ///< Meaningful if `kind` is `collective`.
  std::uint32_t name = 0;                          ///< Position in StepTrace::names.
  double seconds = 0;                              ///< Duration by the accounting's formulas.
  double operations = 0;                           ///< FLOPs of computing.
  /// Bytes moved by computing; or bytes of a message on one rank, before the collective (of a gather, after the
  /// collective).
  double bytes = 0;
  /// Position in StepTrace::groups: the participants of a collective, or the ring in which a rank sends to the next
  /// rank and receives from the previous one.
  std::int32_t group = -1;
  std::int32_t stage = -1;             ///< Partner stage of a send or receive between stages.
  std::uint32_t tag = 0;               ///< Identifies a message; equal on both ends.
  std::vector<std::uint32_t> needs{};  ///< Earlier nodes of the same stage that must end first.
};

/// The nodes of every stage, and the ranks that execute them.
struct StepTrace {
  struct Rank {
    std::size_t stage = 0, place = 0;  ///< Ranks of equal place send to each other from stage to stage.
  };
  std::vector<std::vector<TraceNode>> stages;  ///< Nodes by stage, in the order in which they begin.
  std::vector<std::string> names;
  std::vector<RankGroups> groups;
  std::vector<Rank> ranks;
  double end = 0;  ///< Seconds from the beginning of the step to its end, before the waiting of all ranks (Timeline::waits).
};

/// The scope of a trace.
struct TraceOptions {
  std::size_t microbatches = 0;  ///< Number of microbatches to trace; 0: every microbatch.
  bool operators = false;        ///< True for a node of each kernel; otherwise a node joins the kernels between two messages.
};

/// Limit of nodes over all stages.
inline constexpr std::size_t kMaxTraceNodes = 20'000'000;

/// Returns the trace of a step. Returns nothing, with errors, if the step can't be simulated or has too many nodes.
std::optional<StepTrace> step_trace(Run& run, const TraceOptions& options, Diagnostics& diagnostics);

}  // namespace opledger
