#pragma once
#include "compare/compared.h"

/// Differences between elements of two graphs: messages, tensors saved for backward, weights, each with the responsible
/// rules.
namespace opledger {

/// Compares the bytes of every message between ranks and of every saved tensor, and the elements of every weight as
/// stored, as gradient and as updated. All values are for one layer on one rank. Elements correspond by name; different
/// ones are appended to `out`. Does nothing if a run has no graph.
void compare_elements(Run& first, Run& second, std::vector<ComparedQuantity>& out);

/// Returns the rules that place a node over axes with more than one rank, and whether it is recomputed:
/// `megatron.shard[2], recomputed`.
std::string rules_of_node(Run& run, NodeId node);

}  // namespace opledger
