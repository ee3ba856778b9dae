#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/source.h"
#include "schemas/datum.h"

/// Arguments of the command that a shell script runs, or of a file that lists nothing else. A script is read, never run: words, quotes, continued lines and
/// comments mean what they mean to a shell; nothing is executed, and no variable, command or pattern is expanded. Only where a list of arguments that the script
/// writes out (`ARGS=(--a 1 …)`, `ARGS="--a 1 …"`) stands as a word of the command, its words are read in its place.
namespace opledger {

/// Values of variables that the user gives, by name.
using ScriptVariables = std::map<std::string, std::string, std::less<>>;

/// Words of the command with most flags, each with its place. Words that name the program, and what stands before them, are left out, flags of a launcher are not.
/// Empty, with errors: quotes are left open, or there is no flag.
/// Sets `program` to the name of the command's program, without folders, or of its module; leaves it null if the command names neither.
std::optional<std::vector<Datum>> read_script(const std::shared_ptr<const SourceFile>& source, const ScriptVariables& variables, Diagnostics& diagnostics,
                                              Datum* program = nullptr);

/// `$NAME` and `${NAME}` in a document's texts, where the variable is given, as its value.
Datum with_variables(const Datum& value, const ScriptVariables& variables);

/// `--a 1 --b --c=2 3` as a mapping `{--a: 1, --b: true, --c: [2, 3]}`. Of a flag that is there twice the last one counts.
Datum flags_of(const std::vector<Datum>& words, const Span& whole);

/// `--model.name x model.flavor=y +a.b=1` as a mapping of mappings: `{model: {name: x, flavor: y}, a: {b: 1}}`. Errors: a word that is neither.
Datum sections_of(const std::vector<Datum>& words, const Span& whole, Diagnostics& diagnostics);

/// The first variable or command that a text would have a shell expand: `GPUS` of `$GPUS`, `${GPUS}`; `$(…)` and backticks as they are. Empty: none.
std::string expansion_in(const std::string& text);

}  // namespace opledger
