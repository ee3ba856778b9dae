#pragma once
#include <memory>

#include "ops/order.h"
#include "play/simulator/stage_order.h"
#include "schemas/library.h"

/// Loads the orders of schedules.
namespace opledger {

/// Returns the order stated in an operator, or loads the document that the operator names. Returns null, with errors,
/// on failure.
std::shared_ptr<const OrderDefinition> load_order(const StatedOrder& stated, Library& library, Diagnostics& diagnostics);

/// Reads the file of actions that an order names, relative to the order's document. Returns null, with errors, if the
/// file can't be read or is for a step of a different size.
std::unique_ptr<Order> load_actions(const OrderDefinition& order, long long stages, long long microbatches, Diagnostics& diagnostics);

}  // namespace opledger
