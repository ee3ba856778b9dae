#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>

#include "formulas/evaluate/evaluator.h"
#include "formulas/link/linker.h"
#include "play/simulator/stage_order.h"

/// Formulas of an order, evaluated at millions of places.
namespace opledger {

/// The variables of a formula. In a bidirectional pipeline, microbatches enter at both ends and pass the stages in two
/// directions (ways).
struct OrderPlace {
  std::uint32_t position = 0;        ///< Index of the stage.
  std::uint64_t n = 0;               ///< Number of earlier items of this kind and direction on the stage.
  std::uint32_t chunk = 0, way = 0;  ///< Index among the stage's chunks of one direction; the direction, 0 for pipelines with a single one.
  friend bool operator==(const OrderPlace&, const OrderPlace&) = default;
};
struct OrderPlaceHash {
  std::size_t operator()(const OrderPlace& p) const {
    return std::hash<std::uint64_t>()(p.n ^ (std::uint64_t{p.position} << 40) ^ (std::uint64_t{p.chunk} << 20) ^ p.way);
  }
};

/// A linker and evaluator with caches. Values are memoized by only those variables that a formula reads.
class OrderFormulas {
 public:
  /// Formulas may use global names of the evaluator's program in addition to the variables listed in ops/order.h.
  OrderFormulas(const OrderDefinition& order, const StepSize& size, long long chunks, Evaluator& evaluator);

  /// Returns a whole number of at most 10^9 in magnitude. Returns nothing, with an error, for other values.
  std::optional<long long> whole(const ExprPtr& formula, const OrderPlace& place, Diagnostics& diagnostics);
  /// Returns the truth of a condition on the whole step. Returns nothing, with an error, if the formula can't be
  /// evaluated.
  std::optional<bool> holds(const ExprPtr& formula, Diagnostics& diagnostics);

 private:
  /// A linked formula, the variables that it reads, and its memo.
  struct LinkedFormula {
    const Formula* formula = nullptr;  ///< Null after an error that was reported.
    bool by_position = false, by_n = false, by_chunk = false, by_way = false;
    std::unordered_map<OrderPlace, long long, OrderPlaceHash> known;  ///< Values by the variables that the formula reads; others are 0.
  };
  LinkedFormula& linked(const ExprPtr& formula, Diagnostics& diagnostics);
  ExprPtr expand_lets(const ExprPtr& formula, Diagnostics& diagnostics);
  ExprPtr expand_let(const Definition& let, Diagnostics& diagnostics);
  Answer ask(const Formula& formula, const OrderPlace& place);

  const OrderDefinition& order_;
  const StepSize size_;
  const long long chunks_;
  Evaluator& evaluator_;
  NameScope* scope_ = nullptr;
  std::vector<const Definition*> open_;  ///< Definitions of `let` whose expansion is in progress, to detect cycles.
  std::size_t parts_ = 0;                ///< Nodes of all formulas after expansion.
  std::map<const Expr*, LinkedFormula> linked_;
};

}  // namespace opledger
