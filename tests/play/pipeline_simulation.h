#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

/// An oracle for formulas: pipelines simulated event by event. Each stage has a list of items in the order of a
/// published schedule, and starts the next item as soon as its dependencies have ended.
namespace opledger::simulation {

enum class Work { forward, input, weight };  ///< `input` and `weight` are the two parts of backward.

/// One kind of work of one microbatch on one chunk of the model. Microbatches of different directions have different
/// numbers.
struct Item {
  Work work = Work::forward;
  int piece = 0, microbatch = 0;
};

/// Items that a stage runs as one unit: their results are available when every item has ended.
using Batch = std::vector<Item>;
using StageOrder = std::vector<Batch>;

/// The batches of each stage in order. Stages have one or more of the `pieces` chunks of the model, for example chunk
/// q on stage q % stages.
struct Schedule {
  int pieces = 0;
  std::vector<StageOrder> stages;
};

Schedule gpipe(int stages, int microbatches);
/// PipeDream-Flush; interleaved for several chunks, with microbatches in equal groups of at least `stages`.
Schedule one_forward_one_backward(int stages, int microbatches, int chunks);
Schedule zero_bubble_h1(int stages, int microbatches);
Schedule dualpipe(int stages, int microbatches);

using Duration = std::function<double(const Item&)>;

struct SimulatedStep {
  double seconds = 0;
  bool ended = false;  ///< False on a deadlock.
  /// Maximum of microbatches of a chunk with saved activations, for each stage.
  std::vector<int> in_flight;
};

SimulatedStep simulate(const Schedule& schedule, const Duration& duration);

/// Returns the peak for one chunk on one stage.
int in_flight(const StageOrder& order, int piece);

}  // namespace opledger::simulation
