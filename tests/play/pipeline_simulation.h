#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

/// Pipelines played out event by event, as an oracle for formulas: each stage has a list of work, in the order of a published schedule, and starts the next
/// item as soon as everything that it needs is there.
namespace opledger::simulation {

enum class Work { forward, input, weight };  ///< `input`, `weight`: the two parts of backward.

/// One part of one microbatch on one piece of the model. Microbatches that take different ways through the stages have different numbers.
struct Item {
  Work work = Work::forward;
  int piece = 0, microbatch = 0;
};

/// Items that a stage does as one: they start together and what they make is there when all of them are done.
using Batch = std::vector<Item>;
using StageOrder = std::vector<Batch>;

/// What each stage does, in order. `pieces` of the model are held by the stages; one of several chunks of a stage by `piece % stages`.
struct Schedule {
  int pieces = 0;
  std::vector<StageOrder> stages;
};

Schedule gpipe(int stages, int microbatches);
/// PipeDream-Flush; interleaved for more than one chunk, microbatches in as many equal groups of at least `stages` as there can be.
Schedule one_forward_one_backward(int stages, int microbatches, int chunks);
Schedule zero_bubble_h1(int stages, int microbatches);
Schedule dualpipe(int stages, int microbatches);

using Duration = std::function<double(const Item&)>;

struct SimulatedStep {
  double seconds = 0;
  bool ended = false;          ///< False: the stages wait for each other for ever.
  std::vector<int> in_flight;  ///< By stage: microbatches, of a piece, whose activations are there at once, at most.
};

SimulatedStep simulate(const Schedule& schedule, const Duration& duration);

/// The same peak of one piece on one stage.
int in_flight(const StageOrder& order, int piece);

}  // namespace opledger::simulation
