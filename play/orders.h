#pragma once
#include <memory>

#include "ops/order.h"
#include "play/simulator/stage_order.h"
#include "schemas/library.h"

/// Orders of schedules, from where they are stated.
namespace opledger {

/// Reads the document that an operator names, if it does not state the order itself. Null, with errors, if that can't be done.
std::shared_ptr<const OrderDefinition> load_order(const StatedOrder& stated, Library& library, Diagnostics& diagnostics);

/// What the file of actions says that an order names: it lies beside the order's document. Null, with errors, if it can't be read or is of another size.
std::unique_ptr<Order> load_actions(const OrderDefinition& order, long long stages, long long microbatches, Diagnostics& diagnostics);

}  // namespace opledger
