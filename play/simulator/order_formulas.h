#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>

#include "formulas/evaluate/evaluator.h"
#include "formulas/link/linker.h"
#include "play/simulator/stage_order.h"

/// Formulas of an order, which are asked for millions of places.
namespace opledger {

/// Where a formula of an order is asked.
struct OrderPlace {
  std::uint32_t position = 0;  ///< Of the stage.
  std::uint64_t n = 0;         ///< Items of this kind and way that the stage had before.
  std::uint32_t chunk = 0, way = 0;
  friend bool operator==(const OrderPlace&, const OrderPlace&) = default;
};
struct OrderPlaceHash {
  std::size_t operator()(const OrderPlace& p) const {
    return std::hash<std::uint64_t>()(p.n ^ (std::uint64_t{p.position} << 40) ^ (std::uint64_t{p.chunk} << 20) ^ p.way);
  }
};

class OrderFormulas {
 public:
  /// Formulas may use global names of the evaluator's program besides what ops/order.h says.
  OrderFormulas(const OrderDefinition& order, const StepSize& size, long long chunks, Evaluator& evaluator);

  /// A whole number of at most 10^9. Empty, with an error, if the formula gives none.
  std::optional<long long> whole(const ExprPtr& formula, const OrderPlace& place, Diagnostics& diagnostics);
  std::optional<bool> holds(const ExprPtr& formula, Diagnostics& diagnostics);

 private:
  struct Linked {
    const Formula* formula = nullptr;  ///< Null: it could not be linked, which was told.
    bool by_position = false, by_n = false, by_chunk = false, by_way = false;
    std::unordered_map<OrderPlace, long long, OrderPlaceHash> known;  ///< By what counts for it of a place.
  };
  Linked& linked(const ExprPtr& formula, Diagnostics& diagnostics);
  ExprPtr expand_lets(const ExprPtr& formula, Diagnostics& diagnostics);
  ExprPtr expand_let(const Definition& let, Diagnostics& diagnostics);
  Answer ask(const Formula& formula, const OrderPlace& place);

  const OrderDefinition& order_;
  const StepSize size_;
  const long long chunks_;
  Evaluator& evaluator_;
  NameScope* scope_ = nullptr;
  std::vector<const Definition*> open_;  ///< Of `let`, those that are being put in place because of each other.
  std::size_t parts_ = 0;                ///< Of all formulas, once what they name stands in its place.
  std::map<const Expr*, Linked> linked_;
};

}  // namespace opledger
