#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "find/stage_partition.h"
#include "run/run.h"
#include "run/section_formulas.h"

/// The costs of single layers and of whole stages, read from the section `find` of a run's accounting.
namespace opledger {

/// Layers in the order of the model, with their costs, and the run's own division.
struct LayerCosts {
  long long stages = 1, chunks = 1;       ///< Number of stages, and of chunks on each.
  std::vector<long long> given;           ///< Layers of each chunk in the run; of each stage if a stage has one chunk.
  std::vector<double> seconds;            ///< Seconds of each layer for one microbatch.
  double first = 0, last = 0;             ///< Seconds of operators before the first layer and after the last one.
  std::vector<double> resident, saved;    ///< Bytes of each layer during the whole step, and for each microbatch in flight.
  std::vector<double> memory, in_flight;  ///< Bytes of each stage in the run, and the microbatches that it keeps; empty with several chunks.
  double capacity = 0;                    ///< Bytes that a stage may use.
  std::string input;                      ///< Input that takes the layers of each stage or chunk.
  std::vector<std::pair<std::string, std::string>> replaced;  ///< Inputs whose values in the run contradict `input`, with the values that do not.

  /// Returns the division of these layers as a problem. `bounded`: a stage may hold only layers that its memory admits.
  PartitionProblem problem(bool bounded) const;
};

/// Reads the costs. Empty, with errors, if the run has no graph, one stage or more than kMostLayers layers, or a formula
/// has no value.
std::optional<LayerCosts> read_layer_costs(Run& run, Diagnostics& diagnostics);

/// Returns the number of layers of each segment of a run.
IdVector<SegmentId, Scalar> segment_layers(Evaluator& evaluator);

/// Returns the seconds of each stage for one microbatch; empty, with errors, on failure.
std::vector<Value> stage_paces(Run& run, Diagnostics& diagnostics);

inline constexpr long long kMostLayers = 1024;  ///< Limit of layers, which bounds the time of a division.

}  // namespace opledger
