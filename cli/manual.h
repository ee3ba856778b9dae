#pragma once
#include <string>

#include "cli/command.h"

/// Manual pages in the language `mdoc`, built from the same tables as `--help`.
namespace opledger {

/// Returns the page `opledger.1`.
std::string manual_overview();

/// Returns the page `opledger-COMMAND.1`.
std::string manual_of(const Command& command);

}  // namespace opledger
