#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "play/timeline.h"
#include "questions/rank_groups.h"

/// One step of a run as a graph of nodes for each rank: computing, collectives, sends and receives, with
/// dependencies. Network simulators replay such traces with times of their own. Ranks of a stage have equal nodes,
/// with different partners, so a trace has the nodes of each stage once, and a list of ranks.
namespace opledger {

/// A node of a trace.
struct TraceNode {
  /// Computing; a collective of a group of ranks; a message to one rank, and its receipt.
  enum class Kind : std::uint8_t { compute, collective, send, receive };
  Kind kind = Kind::compute;
  Collective collective = Collective::all_reduce;  ///< Meaningful if `kind` is `collective`.
  std::uint32_t name = 0;                          ///< Name for people, as a position in StepTrace::names.
  double seconds = 0;                              ///< Duration by the accounting's formulas.
  double operations = 0;                           ///< FLOPs of computing.
  /// Bytes moved by computing; or bytes of a message on one rank, before the collective (of a gather, after the
  /// collective).
  double bytes = 0;
  /// Position in StepTrace::groups: the participants of a collective, or the ring in which a rank sends to the next
  /// rank and receives from the previous one; -1 for computing and for messages between stages.
  std::int32_t group = -1;
  std::int32_t stage = -1;             ///< Partner stage of a send or receive between stages; else -1.
  std::uint32_t tag = 0;               ///< Number of a send or receive; equal on both ends of a message.
  std::vector<std::uint32_t> needs{};  ///< Positions of earlier nodes of the same stage that must end first.
};

/// The nodes of every stage, and the ranks that execute them.
struct StepTrace {
  /// A rank: its stage, and its index among the ranks of the stage. Ranks of equal place send to each other from stage
  /// to stage.
  struct Rank {
    std::size_t stage = 0, place = 0;
  };
  std::vector<std::vector<TraceNode>> stages;  ///< Nodes by stage, in an order in which every node follows the nodes that it needs.
  std::vector<std::string> names;              ///< Names of nodes, each once.
  std::vector<RankGroups> groups;              ///< Groups of ranks along axes of the mesh.
  std::vector<Rank> ranks;                     ///< All ranks, by number.
  double end = 0;                              ///< Seconds from the beginning of the step to its end, before the waiting of all ranks (Timeline::waits).
};

/// The scope of a trace.
struct TraceOptions {
  std::size_t microbatches = 0;  ///< Number of microbatches to trace; 0: every microbatch.
  bool operators = false;        ///< True for a node of each kernel; otherwise a node joins the kernels between two messages.
};

/// Limit of the nodes of one stage times the number of stages, and of nodes in one pass.
inline constexpr std::size_t kMaxTraceNodes = 20'000'000;

/// Returns the trace of a step. Returns nothing, with errors, if the step can't be simulated, has too many tasks for a
/// timeline or too many nodes, if its stages don't match the mesh, or if the accounting's sections `play` and `streams`
/// lack the formulas of traces.
std::optional<StepTrace> step_trace(Run& run, const TraceOptions& options, Diagnostics& diagnostics);

}  // namespace opledger
