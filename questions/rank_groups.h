#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run/run.h"

/// Which ranks communicate with each other: for every group of axes over which something is sent, the groups of ranks. Ranks are numbered as in the mesh, those
/// that differ in the innermost axis are neighbours.
namespace opledger {

struct RankGroups {
  std::string axes;                               ///< `tp`, `cp*dp`; `pp {0, 3}`, stages that share a weight
  std::vector<std::string> collectives;           ///< What is sent over them.
  std::vector<WordId> communicators;              ///< Of the engine's set, that are these.
  bool chain = false;                             ///< Only from each rank to the next and back: a pipeline.
  std::vector<std::vector<std::int64_t>> groups;  ///< Ascending, and so are the ranks of each.
};

struct CommunicatingRanks {
  std::int64_t ranks = 1;
  std::int64_t node = 0;  ///< Processors of one host, if the accounting knows (`commands: comm: {node: …}`) and a system was named; else 0.
  std::vector<RankGroups> axes;
};

/// Empty, with an error, if there are more ranks in all groups together than base/limits.h allows to list.
std::optional<CommunicatingRanks> communicating_ranks(Run& run, Diagnostics& diagnostics);

}  // namespace opledger
