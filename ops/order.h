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

/// In what order the stages of a pipeline do their work, as data: a list of phases, each a pattern that is repeated. A document of kind `order` states it, or an operator under
/// `order`; docs/schedules.md describes it. Formulas may use `position` and `behind` of the stage, `n` (how often a stage has done such an item before), `chunk` and `way` in `piece`, the order's
/// own `let`, and global names. What it comes to on a stage: play/player/unrolled.h.
namespace opledger {

/// The kinds of work. `backward` is input and weight gradients together.
enum class Work : std::uint8_t { forward, input, weight };
inline constexpr std::size_t kWorks = 3;

struct OrderItem {
  bool forward = false, input = false, weight = false;
  ExprPtr chunk, way, microbatch;  ///< Null: 0, 0, one after the other. Without a chunk or a way `weight` is the oldest that waits.
  Span span;
};

struct OrderPhase {
  ExprPtr times;                                  ///< Below 1: never.
  std::vector<std::vector<std::string>> batches;  ///< Names of items; those of a batch are one work.
  Span span;
};

struct OrderRequirement {
  ExprPtr is;
  std::string message;
  Span span;
};

struct OrderDefinition {
  Span span;
  std::optional<long long> chunks;  ///< On every stage, where it is always the same number …
  bool chunked = false;             ///< … or any number; else one.
  long long ways = 1;               ///< Microbatches enter at so many ends, in turn.
  ExprPtr piece;                    ///< Of `chunk`, `way`, `position`; null: chunk * stages + position.
  std::vector<Definition> lets;
  std::vector<OrderRequirement> requirements;
  std::map<std::string, OrderItem, std::less<>> items;  ///< Named ones, and `forward`, `input`, `weight`, `backward`.
  std::vector<OrderPhase> phases;
  std::string actions;  ///< In place of phases: a file beside the document, with a row of actions for each stage.
  Span actions_span;
};

/// What an operator says of its order: the order itself, or the name of a document of kind `order`, which is read when it is played.
struct StatedOrder {
  std::shared_ptr<const OrderDefinition> here;  ///< Null: in the document that `written` names.
  Datum written;
};

/// What is written under `order` or in a document of that kind: a mapping, or the list of phases alone. Null, with errors, if something is wrong.
std::shared_ptr<const OrderDefinition> read_order(const Datum& section, Diagnostics& diagnostics);

}  // namespace opledger
