#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "play/step_trace.h"

/// A step as Chakra execution traces (mlcommons/chakra), which ASTRA-sim and other simulators of networks play: a file for each rank, and a JSON of the groups in which
/// ranks communicate.
namespace opledger {

class ChakraWriter {
 public:
  /// The trace must outlive it.
  explicit ChakraWriter(const StepTrace& trace);

  /// The file of a rank.
  std::string file(std::size_t rank) const;
  /// Equal for ranks whose files are equal.
  std::string kind(std::size_t rank) const;
  /// `{"1": [0, 1], …}`: every group's name in the files, and its ranks.
  std::string groups() const;

  /// Names of the groups of StepTrace::groups: from here on, one for each of its groups.
  std::size_t first_name(std::size_t group) const { return first_[group]; }
  std::uint64_t sent_bytes(std::size_t stage) const;  ///< Of a rank: all of its collectives and sends, as `comm` counts them.

 private:
  std::int64_t comm_size(const TraceNode& node) const;
  std::int64_t peer(std::size_t rank, const TraceNode& node) const;
  std::size_t place_in(std::size_t group, std::size_t rank) const;

  const StepTrace& trace_;
  std::vector<std::size_t> first_;                   ///< Names of groups.
  std::vector<std::vector<std::int32_t>> group_of_;  ///< By group and rank: which of its groups; -1: none.
  std::vector<std::vector<std::int32_t>> used_;      ///< By stage: groups that its nodes name.
  std::vector<std::vector<std::int64_t>> rank_of_;   ///< By stage and place.
};

}  // namespace opledger
