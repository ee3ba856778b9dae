#pragma once

namespace opledger {

/// Hands runs the functions of folders that include run/: measured corrections, inputs taken from other accountings, played steps. A program calls it once, before
/// its first run.
void set_up_runs();

}  // namespace opledger
