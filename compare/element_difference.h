#pragma once
#include "compare/compared.h"

/// Differences between elements of two graphs: messages, tensors saved for backward, weights, each with the responsible
/// rules.
namespace opledger {

/// Compares bytes of every message and saved tensor, and elements of every weight as stored, accumulated and updated.
/// All are of one layer on one rank.
void compare_elements(Run& first, Run& second, std::vector<ComparedQuantity>& out);

/// Returns the rules that place a node over axes with more than one rank, and whether it is recomputed:
/// `megatron.shard[2], recomputed`.
std::string rules_of_node(Run& run, NodeId node);

}  // namespace opledger
