#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "play/step_trace.h"

/// Chakra execution traces (mlcommons/chakra) of a training step, which ASTRA-sim and similar network simulators
/// replay: a file for each rank, and a JSON file with the groups of communicating ranks.
namespace opledger {

/// An encoder of a StepTrace as Chakra files. The constructor indexes groups and ranks once; each file is then encoded
/// on demand.
class ChakraWriter {
 public:
  /// Keeps a reference to `trace`, which must outlive the writer.
  explicit ChakraWriter(const StepTrace& trace);

  /// Returns the bytes of a rank's trace: length-delimited protocol buffers, first the metadata, then a message for
  /// each node.
  std::string file(std::size_t rank) const;
  /// Returns a key; ranks with equal keys have equal files, so that a caller encodes such a file once.
  std::string kind(std::size_t rank) const;
  /// Returns JSON `{"1": [0, 1], …}`: the name of each group, and its ranks.
  std::string groups() const;

  /// Returns the number that names the first group of StepTrace::groups[group]; its other groups have the next numbers.
  std::size_t first_name(std::size_t group) const { return first_[group]; }
  /// Returns the bytes that a rank of the stage sends: in collectives by ring algorithms, and in sends.
  std::uint64_t sent_bytes(std::size_t stage) const;

 private:
  /// Returns the bytes of a message as network simulators count them.
  std::int64_t comm_size(const TraceNode& node) const;
  /// Returns the rank at the other end of a send or receive.
  std::int64_t peer(std::size_t rank, const TraceNode& node) const;
  /// Returns the position of a rank in its group of StepTrace::groups[group].
  std::size_t place_in(std::size_t group, std::size_t rank) const;

  const StepTrace& trace_;
  std::vector<std::size_t> first_;  ///< Number of the first group in each set of parallel groups, counted from 1.
  /// Index of a rank's group, by set of groups and rank; -1 if the rank is in no group.
  std::vector<std::vector<std::int32_t>> group_of_;
  std::vector<std::vector<std::int32_t>> used_;     ///< Sorted set indices named by the nodes of each stage; -1 for nodes without a group.
  std::vector<std::vector<std::int64_t>> rank_of_;  ///< Rank by stage and place, the index of a rank among those of its stage.
};

}  // namespace opledger
