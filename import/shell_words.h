#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/source.h"
#include "schemas/datum.h"

/// A shell script as words, without running anything in it.
namespace opledger {

/// Commands and assignments as they are written. Words have their quotes and backslashes taken off; what a shell would expand stands as it is.
struct ShellScript {
  std::vector<std::vector<Datum>> commands;                             ///< Without assignments before them.
  std::map<std::string, std::vector<Datum>, std::less<>> lists;         ///< `NAME=(WORD …)`, the last one of a name.
  std::map<std::string, std::vector<Datum>, std::less<>> quoted_lists;  ///< `NAME="WORD …"` where a word of several is assigned.
  std::map<std::string, int, std::less<>> assigned;                     ///< How often a name is; more than once, what it holds depends on what the script does.

  int times_assigned(std::string_view name) const;
};

/// Whether it may stand in a variable's name.
bool is_shell_letter(char c);

/// Empty, with an error: quotes or a list are left open, or there are too many words.
std::optional<ShellScript> read_shell(const std::shared_ptr<const SourceFile>& source, Diagnostics& diagnostics);

}  // namespace opledger
