#pragma once
#include <cstddef>
#include <optional>

#include "cli/options.h"

/// The user's terminal and its size.
namespace opledger {

/// Returns whether a file descriptor is a terminal of the user. The terminal that `mpirun` gives its processes does not
/// count, because the user's output may be a file.
bool is_terminal(int descriptor);

/// Returns the columns of the terminal at a file descriptor: the terminal's own answer, else the variable COLUMNS,
/// else 80. Returns nothing if the descriptor is no terminal.
std::optional<std::size_t> terminal_columns(int descriptor);

/// Returns the page size for the output of a command line: the width of the terminal if the output goes to one.
PageSize page_of(const Options& options);

}  // namespace opledger
