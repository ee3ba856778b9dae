#pragma once
#include <map>
#include <set>
#include <string>

#include "formulas/link/linker.h"

/// Types of inputs as documents declare them, and structured inputs (records, lists, curves) read as values.
namespace opledger {

/// Parses a type: `integer`, `number`, `boolean`, `text`, a unit, a list of words (which becomes a set named after the
/// field), a record, or one of `{type: T, min:, max:, default:, doc:}`, `{list: T}`, `{per: SET, of: T}`, `{steps:
/// UNIT}`, `{points: COUNT}`, `{tuple: {…}}`. Reports errors and returns nothing if the type is invalid.
std::optional<Type> parse_type(Program& program, Linker& linker, const std::string& name, const Datum& datum, Diagnostics& diagnostics);

/// Reports unknown keys of a declaration `{type: …, default: …}`. Returns false if there are any.
bool check_type_keys(const Datum& datum, Diagnostics& diagnostics);

/// Overrides of a document's fields, keyed by paths such as `system.networks[0].bandwidth`.
struct FieldOverrides {
  Program& program;                                               ///< Program that gets inputs for the open fields.
  std::map<std::string, const Datum*, std::less<>> replacements;  ///< Values that replace the document's.
  std::set<std::string, std::less<>> open;                        ///< Fields that become inputs, with the document's value as default.
  std::set<std::string, std::less<>> visited;                     ///< Paths of all fields met while reading.
};

/// Reads a value of a type in base units; `path` names it in messages. Reports errors and returns nothing if the
/// document does not match the type.
std::optional<Value> read_value(const Program& program, Linker& linker, const Type& type, const Datum& datum, const std::string& path, Diagnostics& diagnostics,
                                FieldOverrides* overrides = nullptr);

/// Returns whether values of the type are single values, which formulas compute or documents choose, rather than
/// structures.
bool scalar_type(const Type& type);

/// Returns a description of the type for messages: `a whole number`, `one of a, b, c`.
std::string describe(const Program& program, const Type& type);

/// Returns the value that a candidate's number represents: a number in base units, 0 or 1 as a truth, or the position
/// of a word. Returns `nothing` if the position is invalid.
Value input_value(const Program& program, const Type& type, double number);

}  // namespace opledger
