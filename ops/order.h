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
/// or an operator under `order` states it; docs/schedules.md describes it. Formulas may use the numbers of `stages`,
/// `microbatches` and `chunks`, and the `position` of the stage. `remaining_stages` is the number of stages from it to
/// the last, both included. They may also use `n`, the number of earlier tasks of the item, the order's own `let`, and
/// global names. The formula of stage chunks may use `chunk` and `direction` too. play/simulator/unrolled_order.h
/// expands the order for a stage.
namespace opledger {

/// Kinds of tasks: forward, gradients of inputs, gradients of weights. `backward` in documents means both gradients.
enum class Work : std::uint8_t { forward, input, weight };
inline constexpr std::size_t kWorkKinds = 3;  ///< Number of kinds.

/// A named task of a pattern.
struct OrderItem {
  bool forward = false, input = false, weight = false;  ///< Kinds of work of the task; `backward` has input and weight.
  ExprPtr chunk, direction,
      microbatch;  ///< Defaults: chunk 0, direction 0, next microbatch. Without chunk and direction, `weight` takes the oldest pending task.
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
  ExprPtr is;           ///< Condition that must hold.
  std::string message;  ///< Text of the error otherwise.
  Span span;
};

/// A parsed order.
struct OrderDefinition {
  Span span;
  std::optional<long long> chunks;  ///< Fixed number of chunks per stage.
  bool chunked = false;             ///< True if any number of chunks is possible; otherwise one, unless `chunks` is set.
  long long directions = 1;         ///< Number of pipeline ends at which microbatches enter alternately.
  ExprPtr stage_chunk;              ///< Index of a stage chunk in the model, from `chunk`, `direction` and `position`; null: chunk * stages + position.
  std::vector<Definition> lets;
  std::vector<OrderRequirement> requirements;
  std::map<std::string, OrderItem, std::less<>> items;  ///< Declared items, and the predefined `forward`, `input`, `weight`, `backward`.
  std::vector<OrderPhase> phases;
  std::string actions;  ///< Alternative to phases: a file in the document's folder with a row of actions per stage.
  Span actions_span;    ///< Position of the file's name.
};

/// The order of an operator: inline, or the name of a document of kind `order`, loaded when the step is simulated.
struct StatedOrder {
  std::shared_ptr<const OrderDefinition> here;  ///< Null if `written` names a document, or after an error.
  Datum written;                                ///< The value as written: the order, or the name of its document.
};

/// Parses an order: a mapping, or only the list of phases. Returns null, with errors, if a part is malformed.
std::shared_ptr<const OrderDefinition> read_order(const Datum& section, Diagnostics& diagnostics);

}  // namespace opledger
