#pragma once
#include <string>
#include <string_view>

#include "cli/command.h"

/// The texts of `--help`, built from the tables of commands and options.
namespace opledger {

/// Returns the help of the program: usage, commands, exit status.
std::string help_overview();

/// Returns the help of one command: purpose, arguments, options, examples.
std::string help_of(const Command& command);

/// Returns the list of the inputs of a space for `search SPACE --help`; empty with errors if it can't be read.
std::string help_of_space(const std::string& space, Library& library, Diagnostics& diagnostics);

/// Returns the description of an option; for `--format` also the command's formats.
std::string option_doc(const Command& command, const OptionSpec& option);

/// Returns the examples of a command, the content of cli/help/NAME.txt, compiled into the program; empty without a
/// file. Examples are data, because they name documents of the library.
std::string_view help_examples(std::string_view name);

/// Returns the options of all plans of the library, for the help of `plan`.
std::string help_of_plans(Library& library, Diagnostics& diagnostics);

}  // namespace opledger
