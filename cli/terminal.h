#pragma once
#include <cstddef>
#include <optional>

#include "cli/options.h"

/// The terminal that people sit at.
namespace opledger {

/// Columns of the terminal behind an open file descriptor: as it says itself, else as COLUMNS says, else 80. Empty: it is no terminal.
std::optional<std::size_t> terminal_columns(int descriptor);

/// Of what a command line asks for: as wide as the terminal, if it goes there.
PageSize page_of(const Options& options);

}  // namespace opledger
