#pragma once
#include <memory>
#include <vector>

#include "play/layer_tasks.h"

/// The exposed time of communication in a layer, measured in a simulation of layers on streams. The accounting can
/// use the results in place of its formulas (section `streams`, docs/streams.md).
namespace opledger {

/// A layer in the steady state between many equal layers of its segment. All times are seconds for one layer.
struct StreamedLayer {
  struct Exposed {
    WordId message;
    double seconds;
  };
  double seconds = 0;             ///< Interval between the ends of two consecutive layers.
  double computing = 0;           ///< `seconds` without lost time.
  std::vector<Exposed> messages;  ///< Computing lost to each message.
  std::vector<double> copies;     ///< Computing lost to copies from and to the host, by pass.
};

/// Simulates a layer. Returns nothing, with an error, if the tasks deadlock or are too many.
std::optional<StreamedLayer> simulate_layer(const InterleavedPasses& passes, const Span& at, Diagnostics& diagnostics);

/// Limit of tasks of one simulation, over all layers.
inline constexpr std::size_t kMaxTasks = 4'000'000;

/// Binds the inputs that the accounting names under `streams: gives` to results of simulated layers. The simulation
/// runs only if a formula reads one of the inputs.
void provide_simulated_layers(Evaluator& evaluator, const LinkedRun& run, const GraphRun& graph);

}  // namespace opledger
