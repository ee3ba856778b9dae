#pragma once

namespace opledger {

/// Registers functions of folders that depend on run/: measured corrections, translation of inputs between accountings,
/// simulation of steps. Every program calls this function once, before its first run.
void set_up_runs();

}  // namespace opledger
