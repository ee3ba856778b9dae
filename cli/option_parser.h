#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "cli/command.h"

/// The words behind a command's name to options. Knows nothing of what they are for.
namespace opledger {

/// Empty, with errors: unknown options, values that are missing or no values, too many or too few arguments, an unknown format.
std::optional<Options> parse_options(const Command& command, std::vector<std::string> words, Diagnostics& diagnostics);

/// `MODEL [EXECUTION] [SYSTEM]`
std::string usage(const Command& command);

}  // namespace opledger
