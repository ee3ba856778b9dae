#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/source.h"
#include "schemas/datum.h"

/// Reads the arguments of the command that a shell script runs, or of a file that only lists arguments. The script is
/// read and never run: quotes, continued lines and comments have their meaning in a shell, but no variable, command
/// or pattern is expanded. Two kinds of variables are exceptions. A variable that the user sets gets its value. A
/// word that refers to a list in the script (`ARGS=(--a 1 …)`, `ARGS="--a 1 …"`) is replaced by the words of the
/// list.
namespace opledger {

/// Values of variables that the user sets, by name.
using ScriptVariables = std::map<std::string, std::string, std::less<>>;

/// Words of the commands that start a framework.
struct CommandWords {
  std::vector<std::string> started_by = {};  ///< Phrases such as `vllm serve`.
  std::vector<std::string> programs = {};    ///< Patterns of programs that are neither a `.py` file nor a module.
};

/// Returns the arguments of the command with most flags, each with its place. If commands contain one of the phrases
/// `started_by`, only these count, and they need no flags. Words up to the program are dropped, except flags of a
/// launcher. Sets `program`, if it is not null, to the file name of the command's program, to its module, or to its
/// phrase of `started_by`, and to a null value without one. Returns nothing and reports errors for open
/// quotes or lists, references to arguments that are unknown without running the script, too many words, or a file
/// without flags or settings.
std::optional<std::vector<Datum>> read_script(const std::shared_ptr<const SourceFile>& source, const ScriptVariables& variables, Diagnostics& diagnostics,
                                              Datum* program = nullptr, const CommandWords& known = {});

/// Replaces `$NAME` and `${NAME}` in all texts of a document by the values that the user sets.
Datum with_variables(const Datum& value, const ScriptVariables& variables);

/// Converts `--a 1 --b --c=2 3` to the mapping `{--a: 1, --b: true, --c: [2, 3]}`. The last of several equal flags
/// counts. `whole` is the place of the resulting mapping in messages.
Datum flags_of(const std::vector<Datum>& words, const Span& whole);

/// Converts `--model.name x model.flavor=y +a.b=1` to nested mappings: `{model: {name: x, flavor: y}, a: {b: 1}}`. A
/// `-` in a name becomes `_`. Reports an error for a name with an empty part, or with more than eight parts. `whole` is
/// the place of the resulting mapping in messages.
Datum sections_of(const std::vector<Datum>& words, const Span& whole, Diagnostics& diagnostics);

/// Returns the first part of a text that a shell would expand: `GPUS` for `$GPUS` and `${GPUS}`; for a command, the
/// text from `$(` on. Without either, returns the text from the first backtick on; empty without a backtick.
std::string expansion_in(const std::string& text);

}  // namespace opledger
