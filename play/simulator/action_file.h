#pragma once
#include <memory>

#include "play/simulator/stage_order.h"

/// An order from a file of actions, in a widespread CSV form: a line for each stage, a cell for each batch. A batch is
/// a unit of work that a stage runs at once.
///
/// 2F0, 2I0, 2W0, 2B0, (2F0;5B1)OVERLAP_F_B    chunk, kind, microbatch; B is I and W together
///
/// F is forward, I the gradients of inputs, W the gradients of weights. Empty lines and cells are ignored, and so are
/// unknown actions (`SEND_F`, `UNSHARD`, …) outside parentheses. The stage of a chunk, for a microbatch, follows from
/// the line with the forward action.
namespace opledger {

/// Reads the text of a file completely; the result owns its batches. Returns null, with errors, if a cell is malformed,
/// the file has no actions, or it has too many chunks. The simulator checks whether actions are missing.
std::unique_ptr<Order> read_actions(const std::shared_ptr<const SourceFile>& file, Diagnostics& diagnostics);

}  // namespace opledger
