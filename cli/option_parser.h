#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "cli/command.h"

/// Converts the words after a command's name to Options. The meaning of the options is unknown here.
namespace opledger {

/// Parses the words after the command's name. Returns nothing and reports errors for unknown options, missing or
/// invalid values, too many or too few arguments, and unknown formats.
std::optional<Options> parse_options(const Command& command, std::vector<std::string> words, Diagnostics& diagnostics);

/// Returns the arguments of a command as a usage line: `MODEL [EXECUTION] [SYSTEM]`.
std::string usage(const Command& command);

}  // namespace opledger
