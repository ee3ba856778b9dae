#pragma once
#include <memory>
#include <vector>

#include "play/layer_tasks.h"

/// What communication leaves exposed where layers pass streams: as it is played, beside what the accounting's formulas say (section `streams`, docs/streams.md).
namespace opledger {

/// In the middle of many layers of a segment. Seconds of one of them.
struct StreamedLayer {
  struct Exposed {
    WordId message;
    double seconds;
  };
  double seconds = 0;             ///< From the end of one to the end of the next.
  double computing = 0;           ///< Of these without what is lost.
  std::vector<Exposed> messages;  ///< What computing loses to each.
  std::vector<double> copies;     ///< And to copies from the host and to it, by pass.
};

/// Empty, with an error, if the layer waits for itself or is too large to be played.
std::optional<StreamedLayer> simulate_layer(const InterleavedPasses& passes, const Span& at, Diagnostics& diagnostics);

/// Tasks of all layers that are played at once, at most.
inline constexpr std::size_t kMaxTasks = 4'000'000;

/// From now on the inputs that the accounting names under `streams` (`gives`) have the values of played layers. They are asked for only where formulas use them.
void provide_streamed(Evaluator& evaluator, const Linked& run, const GraphRun& graph);

}  // namespace opledger
