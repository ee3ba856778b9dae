#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ops/order.h"

/// The actions of one training step, in the order in which each pipeline stage runs them. The model is cut into
/// chunks of layers, numbered along the forward pass. Each microbatch has three actions for each chunk: forward,
/// gradients of inputs, and gradients of weights. The pipeline simulator takes the batches of each stage from an Order.
namespace opledger {

/// A kind of work of a chunk, for a microbatch.
struct Action {
  Work work = Work::forward;
  std::uint32_t stage_chunk = 0, microbatch = 0;  ///< Index of the chunk in the model, and of the microbatch in the step.
  friend auto operator<=>(const Action&, const Action&) = default;
};

/// Actions that a stage runs as one unit. The unit begins when all inputs of its actions have arrived; its outputs
/// are available at its end.
struct Batch {
  std::vector<Action> actions;
  bool is_concurrent = false;  ///< The actions run concurrently, and the time of one may hide the time of another.
};

/// Returns the text of an action as in files of actions: chunk, kind and microbatch, such as `3F0`.
std::string written(const Action& action);
/// Returns the text of a batch. Gradients of inputs and weights of one chunk and microbatch are written as one, such as
/// `0B2`. Concurrent actions are written as `(2F0;5B1)OVERLAP_F_B`, other actions with spaces between.
std::string written(const Batch& batch);

/// The dimensions of a step.
struct StepSize {
  std::size_t stages = 0, stage_chunks = 0;  ///< Number of pipeline stages, and of chunks in the whole model.
  std::uint32_t microbatches = 0;            ///< Number of microbatches, over all directions of the pipeline.
};

/// The batches of every stage, handed out once. An implementation may generate them on demand, so that memory doesn't
/// grow with the number of microbatches.
class Order {
 public:
  virtual ~Order() = default;
  virtual StepSize size() const = 0;  ///< Returns the dimensions of the step.
  /// Returns the stage of a chunk for a microbatch; nothing if no stage has the chunk.
  virtual std::optional<std::size_t> stage_of(std::size_t stage_chunk, std::uint32_t microbatch) const = 0;
  /// Returns the chunks that a stage has for any microbatch, in ascending order.
  virtual std::vector<std::size_t> stage_chunks_of(std::size_t stage) const = 0;
  /// Sets `out` to the stage's next batch and advances the stage. Returns false at the end, or with an error if the
  /// order can't be evaluated.
  virtual bool next(std::size_t stage, Batch& out, Diagnostics& diagnostics) = 0;
};

}  // namespace opledger
