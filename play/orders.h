#pragma once
#include <memory>

#include "ops/order.h"
#include "play/simulator/stage_order.h"
#include "schemas/library.h"

/// Loads orders of pipeline schedules. An order lists the tasks of each stage in sequence: as repeated phases, or as a
/// file of actions. The operator of a schedule states its order or names a document. Call `load_order` first, then
/// `load_actions` if the order names a file, else UnrolledOrder::unroll.
namespace opledger {

/// Returns the order stated in the operator of a schedule, or loads the document that the operator names from the
/// library. Returns null, with errors, if the document is missing or malformed.
std::shared_ptr<const OrderDefinition> load_order(const StatedOrder& stated, Library& library, Diagnostics& diagnostics);

/// Reads the file of actions that an order names: each stage's tasks one by one, instead of repeated phases. The library
/// checks that the order's document may name the file. Returns null, with errors, if the file can't be read or if its
/// numbers of stages and microbatches differ from these.
std::unique_ptr<Order> load_actions(const OrderDefinition& order, long long stages, long long microbatches, const Library& library, Diagnostics& diagnostics);

}  // namespace opledger
