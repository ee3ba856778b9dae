#pragma once
#include <memory>
#include <vector>

#include "play/layer_tasks.h"

/// The exposed time of communication in a layer, measured in a simulation of layers on streams. The accounting can
/// use the results in place of its formulas (section `streams`, docs/streams.md). LayerWorkReader gives the work of a
/// layer, `simulate_layer` measures it, and `provide_simulated_layers` does both on demand.
namespace opledger {

/// A layer in the steady state between many equal layers of its segment. All times are seconds for one layer.
struct StreamedLayer {
  /// Seconds of computing lost to one message.
  struct Exposed {
    WordId message;  ///< Element of the set of messages.
    double seconds;
  };
  double seconds = 0;             ///< Interval between the ends of two consecutive layers.
  double computing = 0;           ///< `seconds` without lost time.
  std::vector<Exposed> messages;  ///< Computing lost to each message, in the order of passes and their messages.
  std::vector<double> copies;     ///< Seconds of computing lost to copies from and to the host, by pass.
};

/// Simulates several equal layers and returns average times of the layers in the middle. `passes`: the work of a
/// layer, with a lane for each interleaved microbatch; not empty. `at`: source position for errors. Returns nothing,
/// with an error, if the tasks deadlock or are too many.
std::optional<StreamedLayer> simulate_layer(const InterleavedPasses& passes, const Span& at, Diagnostics& diagnostics);

/// Limit of tasks of one simulation, over all layers.
inline constexpr std::size_t kMaxTasks = 4'000'000;

/// Binds the inputs that the accounting names under `streams: gives` to results of simulated layers: `messages` and
/// `copies`. The simulation runs only if a formula reads one of the inputs. The run and the graph must outlive the
/// evaluator.
void provide_simulated_layers(Evaluator& evaluator, const LinkedRun& run, const GraphRun& graph);

}  // namespace opledger
