#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>

#include "formulas/evaluate/evaluator.h"
#include "formulas/link/linker.h"
#include "play/simulator/stage_order.h"

/// Formulas of an order, evaluated at millions of places. An order document states its pattern by formulas, such as the
/// microbatch of the n-th forward on a stage; UnrolledOrder evaluates them while it lists the actions of each stage.
namespace opledger {

/// The place at which a formula is evaluated: the values of its variables. In a bidirectional pipeline, microbatches
/// enter at both ends and pass the stages in two directions.
struct OrderPlace {
  std::uint32_t position = 0;  ///< Index of the stage.
  std::uint64_t n = 0;         ///< Number of earlier items of this kind and direction on the stage, skipped items included; 0 for weight gradients alone.
  /// Index among the stage's chunks of one direction, 0 in formulas of items; and the direction, 0 for pipelines with a
  /// single one.
  std::uint32_t chunk = 0, direction = 0;
  friend bool operator==(const OrderPlace&, const OrderPlace&) = default;
};
/// Hashes a place for the memo of a formula.
struct OrderPlaceHash {
  std::size_t operator()(const OrderPlace& p) const {
    return std::hash<std::uint64_t>()(p.n ^ (std::uint64_t{p.position} << 40) ^ (std::uint64_t{p.chunk} << 20) ^ p.direction);
  }
};

/// Evaluates the formulas of one order for one size of step. Formulas are linked on first use. Values of `whole` are
/// memoized by the variables of the place that the formula reads.
class OrderFormulas {
 public:
  /// `chunks`: number of chunks of layers on each stage and direction. The order and the evaluator must outlive this
  /// object. Formulas may use global names of the evaluator's program in addition to the variables of OrderPlace and
  /// the sizes.
  OrderFormulas(const OrderDefinition& order, const StepSize& size, long long chunks, Evaluator& evaluator);

  /// Returns the value of a formula at a place. Returns nothing, with an error, if the formula can't be evaluated or
  /// its value is no whole number of at most 10^9 in magnitude, without unit. An error of linking is reported once.
  std::optional<long long> whole(const ExprPtr& formula, const OrderPlace& place, Diagnostics& diagnostics);
  /// Returns the truth of a condition on the whole step, evaluated for the first stage, with 0 for `n`, `chunk` and
  /// `direction`. Returns nothing, with an error, if the formula can't be evaluated.
  std::optional<bool> holds(const ExprPtr& formula, Diagnostics& diagnostics);

 private:
  /// A linked formula, the variables that it reads, and its memo.
  struct LinkedFormula {
    const Formula* formula = nullptr;                                                ///< Null after an error that was reported.
    bool by_position = false, by_n = false, by_chunk = false, by_direction = false;  ///< Variables that the formula reads.
    std::unordered_map<OrderPlace, long long, OrderPlaceHash> known;                 ///< Values by the variables that the formula reads; others are 0.
  };
  LinkedFormula& linked(const ExprPtr& formula, Diagnostics& diagnostics);  ///< Returns the linked formula, linked on first use.
  ExprPtr expand_lets(const ExprPtr& formula, Diagnostics& diagnostics);    ///< Replaces names of the order's `let` by their formulas.
  ExprPtr expand_let(const Definition& let, Diagnostics& diagnostics);      ///< Returns the expanded formula of one `let`.
  Answer ask(const Formula& formula, const OrderPlace& place);              ///< Evaluates a linked formula at a place.

  const OrderDefinition& order_;
  const StepSize size_;
  const long long chunks_;
  Evaluator& evaluator_;
  NameScope* scope_ = nullptr;                   ///< Declares the variables of formulas.
  std::vector<const Definition*> open_;          ///< Definitions of `let` whose expansion is in progress, to detect cycles.
  std::size_t parts_ = 0;                        ///< Nodes visited so far by the expansion of all formulas.
  std::map<const Expr*, LinkedFormula> linked_;  ///< Linked formulas, by formula of the order.
};

}  // namespace opledger
