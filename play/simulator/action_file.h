#pragma once
#include <filesystem>
#include <memory>

#include "play/simulator/stage_order.h"

/// An order from a file of actions, in the form of PyTorch's pipelining: a line for each stage, a cell for each
/// batch.
///
/// 2F0, 2I0, 2W0, 2B0, (2F0;5B1)OVERLAP_F_B    chunk, kind, microbatch; B is I and W together
///
/// Empty cells and unknown actions (SEND_F, UNSHARD, …) are ignored. The stage of a chunk follows from the lines.
namespace opledger {

/// Reads a file. Returns null, with errors, if the file can't be read or parsed.
std::unique_ptr<Order> read_actions(const std::filesystem::path& file, Diagnostics& diagnostics);

}  // namespace opledger
