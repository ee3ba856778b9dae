#pragma once

namespace opledger {

/// Gives runs the functions of the folders that are built on them: measured corrections, values asked of other accountings, played steps. A program calls it once,
/// before its first run.
void set_up_runs();

}  // namespace opledger
