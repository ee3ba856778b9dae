#pragma once
#include <string>

#include "cli/command.h"

/// Manual pages in the language `mdoc`, out of the same tables as `--help`.
namespace opledger {

/// `opledger.1`
std::string manual_overview();

/// `opledger-COMMAND.1`
std::string manual_of(const Command& command);

}  // namespace opledger
