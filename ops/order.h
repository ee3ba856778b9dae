#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "ops/definition.h"
#include "schemas/datum.h"

/// The order of work of pipeline stages as data: a list of phases, each a repeated pattern. A document of kind `order`
/// or an operator under `order` states it; docs/schedules.md describes it. Formulas may use `position` and `behind` of
/// the stage, `n` (number of previous tasks of the item), the order's own `let`, and global names. `piece` may also use
/// `chunk` and `way`. play/simulator/unrolled_order.h expands it for a stage.
namespace opledger {

/// Kinds of tasks. `backward` in documents means input and weight gradients together.
enum class Work : std::uint8_t { forward, input, weight };
inline constexpr std::size_t kWorkKinds = 3;

/// A named task of a pattern.
struct OrderItem {
  bool forward = false, input = false, weight = false;
  ExprPtr chunk, way, microbatch;  ///< Defaults: chunk 0, way 0, next microbatch. Without chunk and way, `weight` takes the oldest pending task.
  Span span;
};

/// A pattern of tasks and the number of its repetitions.
struct OrderPhase {
  ExprPtr times;                                  ///< Values below 1: the phase does not occur.
  std::vector<std::vector<std::string>> batches;  ///< Names of items; the items of a batch form one task.
  Span span;
};

/// A constraint on the use of an order.
struct OrderRequirement {
  ExprPtr is;
  std::string message;
  Span span;
};

/// A parsed order.
struct OrderDefinition {
  Span span;
  std::optional<long long> chunks;  ///< Fixed number of chunks per stage.
  bool chunked = false;             ///< True if any number of chunks is possible; otherwise one, unless `chunks` is set.
  long long ways = 1;               ///< Number of pipeline ends at which microbatches enter alternately.
  ExprPtr piece;                    ///< Index of a stage chunk from `chunk`, `way`, `position`; null: chunk * stages + position.
  std::vector<Definition> lets;
  std::vector<OrderRequirement> requirements;
  std::map<std::string, OrderItem, std::less<>> items;  ///< Declared items, and the predefined `forward`, `input`, `weight`, `backward`.
  std::vector<OrderPhase> phases;
  std::string actions;  ///< Alternative to phases: a file in the document's folder with a row of actions per stage.
  Span actions_span;
};

/// The order of an operator: inline, or the name of a document of kind `order`, loaded when the step is simulated.
struct StatedOrder {
  std::shared_ptr<const OrderDefinition> here;  ///< Null if `written` names a document.
  Datum written;
};

/// Parses an order: a mapping, or only the list of phases. Null, with errors, if it is malformed.
std::shared_ptr<const OrderDefinition> read_order(const Datum& section, Diagnostics& diagnostics);

}  // namespace opledger
