#pragma once
#include <string>
#include <string_view>

#include "cli/command.h"

/// What `--help` prints.
namespace opledger {

/// Of the program: its commands.
std::string help_overview();

/// Of one command: what it is for, its arguments and options, examples.
std::string help_of(const Command& command);

/// What an option of the command is for.
std::string explained(const Command& command, const OptionSpec& option);

/// cli/help/NAME.txt, compiled in: examples are data, they name documents of the library. Empty: none.
std::string_view help_examples(std::string_view name);

}  // namespace opledger
