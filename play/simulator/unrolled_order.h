#pragma once
#include <deque>
#include <memory>

#include "play/simulator/order_formulas.h"

/// An order's phases played back item by item (docs/schedules.md). An item that runs past the last microbatch is left out, and so is a weight gradient when none waits.
namespace opledger {

class UnrolledOrder final : public Order {
 public:
  /// `chunks`: on each stage, where the order does not say. Null, with errors, if the order does not fit these sizes. The order and the evaluator must outlive it.
  static std::unique_ptr<UnrolledOrder> unroll(const OrderDefinition& order, long long stages, long long microbatches, long long chunks, Evaluator& evaluator,
                                               Diagnostics& diagnostics);

  StepSize size() const override { return size_; }
  std::optional<std::size_t> stage_of(std::size_t piece, std::uint32_t microbatch) const override;
  std::vector<std::size_t> pieces_of(std::size_t stage) const override;
  bool next(std::size_t stage, Batch& out, Diagnostics& diagnostics) override;

 private:
  struct Deferred {
    std::uint32_t way, chunk;
    Action action;
  };
  struct Stage {
    std::size_t phase = 0, batch = 0;
    long long left = -1;                      ///< Times that the phase is still to be done; -1: not asked yet.
    std::vector<std::uint64_t> had;           ///< Items, by kind (forward or not) and way.
    std::vector<std::uint64_t> microbatches;  ///< The same by chunk, too.
    std::deque<Deferred> waiting;             ///< Weight gradients.
    std::uint64_t asked = 0;                  ///< Items so far, those that were left out included.
  };

  UnrolledOrder(const OrderDefinition& order, const StepSize& size, long long chunks, Evaluator& evaluator)
      : order_(order), size_(size), chunks_(chunks), formulas_(order, size, chunks, evaluator) {}
  bool check_requirements(Diagnostics& diagnostics);
  bool place_chunks(Diagnostics& diagnostics);
  bool advance(std::size_t position, Stage& stage, Diagnostics& diagnostics);
  bool add(const std::string& name, std::size_t position, Stage& stage, Batch& out, Diagnostics& diagnostics);
  bool add_deferred(const OrderItem& item, const OrderPlace& place, Stage& stage, Batch& out, Diagnostics& diagnostics);
  /// `otherwise`: what it is where no formula says so.
  std::optional<long long> at(const ExprPtr& formula, const OrderPlace& place, long long otherwise, Diagnostics& diagnostics);
  std::optional<std::uint32_t> below(long long limit, const char* what, const ExprPtr& formula, const OrderPlace& place, long long otherwise,
                                     Diagnostics& diagnostics);

  const OrderDefinition& order_;
  StepSize size_;
  const long long chunks_;
  OrderFormulas formulas_;
  std::vector<std::vector<std::uint32_t>> stages_of_pieces_;  ///< By way and piece.
  std::vector<std::uint32_t> pieces_of_stages_;               ///< By stage, way and chunk.
  std::vector<Stage> stages_;
};

}  // namespace opledger
