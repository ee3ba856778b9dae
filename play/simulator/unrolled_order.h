#pragma once
#include <deque>
#include <memory>

#include "play/simulator/order_formulas.h"

/// An order that unrolls the phases of an order document item by item (docs/schedules.md). A phase repeats a pattern
/// of batches, and a batch names items such as `forward`. An item states by formulas its chunk, direction and
/// microbatch, which give one or two actions. Items whose microbatch is out of range are skipped, and so are weight
/// gradients without a deferred match.
namespace opledger {

/// Produces the batches of each stage on demand. The state of a stage is its position in the phases and counts of
/// items, so memory doesn't grow with the number of microbatches, except for deferred weight gradients.
class UnrolledOrder final : public Order {
 public:
  /// Prepares an order for a step of these sizes. `chunks`: number of chunks on each stage and direction, unless the
  /// order states a number. Returns null, with errors, if the sizes are out of range, a requirement of the order fails,
  /// a formula can't be evaluated, or a direction doesn't place every chunk on exactly one stage. The order and the
  /// evaluator must outlive the result.
  static std::unique_ptr<UnrolledOrder> unroll(const OrderDefinition& order, long long stages, long long microbatches, long long chunks, Evaluator& evaluator,
                                               Diagnostics& diagnostics);

  StepSize size() const override { return size_; }
  std::optional<std::size_t> stage_of(std::size_t stage_chunk, std::uint32_t microbatch) const override;
  std::vector<std::size_t> stage_chunks_of(std::size_t stage) const override;
  bool next(std::size_t stage, Batch& out, Diagnostics& diagnostics) override;

 private:
  /// A weight gradient that runs later than its input gradient.
  struct Deferred {
    std::uint32_t direction, chunk;  ///< Direction, and index among the stage's chunks of this direction.
    Action action;                   ///< The weight gradient.
  };
  /// The progress of one stage.
  struct Stage {
    std::size_t phase = 0, batch = 0;         ///< Positions of the current phase, and of the next batch in its pattern.
    long long left = -1;                      ///< Repetitions of the phase still to run; -1: not evaluated yet.
    std::vector<std::uint64_t> item_counts;   ///< Number of items so far, by kind (forward or backward) and direction.
    std::vector<std::uint64_t> microbatches;  ///< Number of items so far, by kind, direction and chunk.
    std::deque<Deferred> deferred;            ///< Deferred weight gradients, oldest first.
    std::uint64_t unrolled = 0;               ///< Number of items so far, skipped items included.
  };

  UnrolledOrder(const OrderDefinition& order, const StepSize& size, long long chunks, Evaluator& evaluator)
      : order_(order), size_(size), chunks_(chunks), formulas_(order, size, chunks, evaluator) {}
  // Functions that return bool report errors and return false on failure.
  bool check_requirements(Diagnostics& diagnostics);  ///< Evaluates the order's own conditions.
  bool place_chunks(Diagnostics& diagnostics);        ///< Assigns the chunks to stages.
  /// Moves a stage to the first phase with repetitions left, from the current phase on; false without an error at the end.
  bool advance(std::size_t position, Stage& stage, Diagnostics& diagnostics);
  /// Appends the actions of an item of a batch, and of an item with deferred weight gradients.
  bool add(const std::string& name, std::size_t position, Stage& stage, Batch& out, Diagnostics& diagnostics);
  bool add_deferred(const OrderItem& item, const OrderPlace& place, Stage& stage, Batch& out, Diagnostics& diagnostics);
  /// Evaluates a formula at a place; `otherwise` is the value of an absent formula.
  std::optional<long long> at(const ExprPtr& formula, const OrderPlace& place, long long otherwise, Diagnostics& diagnostics);
  /// Evaluates a formula like `at`. Returns nothing, with an error that names the quantity, unless the value is in
  /// [0, limit).
  std::optional<std::uint32_t> below(long long limit, const char* quantity, const ExprPtr& formula, const OrderPlace& place, long long otherwise,
                                     Diagnostics& diagnostics);

  const OrderDefinition& order_;
  StepSize size_;
  const long long chunks_;
  OrderFormulas formulas_;
  std::vector<std::vector<std::uint32_t>> stages_of_chunks_;  ///< Stage of each chunk, by direction.
  std::vector<std::uint32_t> chunks_of_stages_;               ///< Chunk by stage, direction and chunk index on the stage.
  std::vector<Stage> stages_;
};

}  // namespace opledger
