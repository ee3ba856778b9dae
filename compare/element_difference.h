#pragma once
#include "compare/compared.h"

/// What two graphs of one accounting hold: messages, tensors kept for backward, weights; and the rules that made them so.
namespace opledger {

/// Bytes of every message, of every tensor that is kept, and elements of every weight as it is stored, accumulated and updated, of one layer on one rank, with
/// the rules behind them.
void compare_elements(Run& first, Run& second, std::vector<Compared>& out);

/// The rules that place a node over axes of more than one rank, and whether it is recomputed: `megatron.shard[2], recomputed`.
std::string rules_of_node(Run& run, NodeId node);

}  // namespace opledger
