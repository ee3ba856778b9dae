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

/// Splits a shell script into words without running any of it.
namespace opledger {

/// Commands and assignments of a script. Quotes and backslashes are removed from words; expansions stay unexpanded.
struct ShellScript {
  std::vector<std::vector<Datum>> commands;                             ///< Words of each command, without leading assignments.
  std::map<std::string, std::vector<Datum>, std::less<>> lists;         ///< Lists `NAME=(WORD …)`; the last assignment of a name counts.
  std::map<std::string, std::vector<Datum>, std::less<>> quoted_lists;  ///< Words of assignments `NAME="WORD …"` with several words.
  /// Number of assignments of each name. The value of a repeatedly assigned name depends on control flow.
  std::map<std::string, int, std::less<>> assigned;

  /// Returns the number of assignments of a name.
  int times_assigned(std::string_view name) const;
};

/// Returns whether a character may be part of a variable's name.
bool is_shell_letter(char c);

/// Splits a script. Returns nothing and reports an error for open quotes, an open list, or too many words.
std::optional<ShellScript> read_shell(const std::shared_ptr<const SourceFile>& source, Diagnostics& diagnostics);

}  // namespace opledger
