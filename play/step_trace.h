#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "play/timeline.h"
#include "questions/rank_groups.h"

/// One step of a run as what every rank computes, sends and receives, and what each of these waits for: what simulators of networks play with times of their own. Ranks of
/// a stage do the same, with other ranks.
namespace opledger {

struct TraceNode {
  enum class Kind : std::uint8_t { compute, collective, send, receive };
  Kind kind = Kind::compute;
  Collective collective = Collective::all_reduce;  ///< Of `collective`.
  std::uint32_t name = 0;                          ///< Of StepTrace::names.
  double seconds = 0;                              ///< As the accounting has it.
  double operations = 0;                           ///< Of computing.
  double bytes = 0;                                ///< That computing moves, or that a rank has of a message: before it, of a gather after it.
  std::int32_t group = -1;  ///< Of StepTrace::groups: whom a collective joins, or in whose ring a rank sends to the next and receives from the one before.
  std::int32_t stage = -1;  ///< Of a send or receive between stages: the other one.
  std::uint32_t tag = 0;    ///< Of sends and receives: equal at both ends.
  std::vector<std::uint32_t> needs{};  ///< Nodes of the same stage before this one.
};

struct StepTrace {
  struct Rank {
    std::size_t stage = 0, place = 0;  ///< Ranks of equal place send to each other from stage to stage.
  };
  std::vector<std::vector<TraceNode>> stages;  ///< Nodes in the order in which they are begun.
  std::vector<std::string> names;
  std::vector<RankGroups> groups;
  std::vector<Rank> ranks;
  double end = 0;  ///< Seconds of the step as it is played, without the waiting of ranks after it.
};

struct TraceOptions {
  std::size_t microbatches = 0;  ///< Only the first so many of them; 0: all.
  bool operators = false;        ///< Every kernel is a node; else what is computed between two messages is.
};

/// Nodes of all stages, at most.
inline constexpr std::size_t kMaxTraceNodes = 20'000'000;

/// Empty, with errors, if nothing can be played or there is too much of it.
std::optional<StepTrace> step_trace(Run& run, const TraceOptions& options, Diagnostics& diagnostics);

}  // namespace opledger
