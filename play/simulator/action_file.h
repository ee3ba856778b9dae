#pragma once
#include <filesystem>
#include <memory>

#include "play/simulator/stage_order.h"

/// An order as a file of actions, in the form of PyTorch's pipelining: a line for each stage, a cell for each batch.
///   2F0, 2I0, 2W0, 2B0, (2F0;5B1)OVERLAP_F_B    piece, work, microbatch; B is I and W at once
/// Empty cells and other actions (SEND_F, UNSHARD, …) are passed over. Which stage holds a piece follows from its lines.
namespace opledger {

/// Null, with errors, if the file can't be read or understood.
std::unique_ptr<Order> read_actions(const std::filesystem::path& file, Diagnostics& diagnostics);

}  // namespace opledger
