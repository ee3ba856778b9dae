#pragma once
#include <map>
#include <set>
#include <string>

#include "formulas/link/linker.h"

/// Types of inputs as documents declare them, and structured inputs (records, lists, curves) read as values.
namespace opledger {

/// Parses a declared type. Its forms are:
/// - a word: `integer`, `number`, `boolean`, `text`, a unit (a number in this unit), or the name of a set of words;
/// - a list of words, which adds a set to `program`, called `name` (in a field of a record: `name` + `_` + the field);
/// - `{list: T}`, `{per: SET, of: T}` (a value for each word), `{tuple: {FIELD: T, …}}` (a record written as a list);
/// - `{steps: UNIT}` and `{points: COUNT}`, functions of numbers (Curve);
/// - `{type: T, min:, max:, default:, doc:, neutral:, mean:}`, a type with properties;
/// - `{FIELD: T, …}`, a record.
/// Reports errors and returns nothing if the type is invalid.
std::optional<Type> parse_type(Program& program, Linker& linker, const std::string& name, const Datum& datum, Diagnostics& diagnostics);

/// Reports unknown keys of a declaration `{type: …, default: …}`. Returns false if there are any.
bool check_type_keys(const Datum& datum, Diagnostics& diagnostics);

/// Overrides of a document's fields, keyed by paths such as `system.networks[0].bandwidth`.
struct FieldOverrides {
  Program& program;                                               ///< Program that gets inputs for the open fields.
  std::map<std::string, const Datum*, std::less<>> replacements;  ///< Values that replace the document's.
  std::set<std::string, std::less<>> open;                        ///< Fields that become inputs, with the document's value as default.
  std::set<std::string, std::less<>> visited;                     ///< Result: paths of all fields met while reading.
};

/// Reads a document's part as a value of a type, with numbers in base units. `path` names the value in messages and in
/// `overrides`, such as `system.memory`. Records, curves and texts are stored in the linker's storage. Null
/// `overrides`: the document's values count as they are. Reports errors and returns nothing if the document does not
/// match the type.
std::optional<Value> read_value(const Program& program, Linker& linker, const Type& type, const Datum& datum, const std::string& path, Diagnostics& diagnostics,
                                FieldOverrides* overrides = nullptr);

/// Returns whether values of the type are single values (numbers, truths, words, texts), not records, lists or curves.
bool scalar_type(const Type& type);

/// Returns a description of the type for messages: `a whole number`, `one of a, b, c`.
std::string describe(const Program& program, const Type& type);

/// Returns the value of an input that `number` represents in a search, where every candidate is a list of numbers. A
/// truth is 0 or 1, and a word is its position in its set; other numbers are in base units. Returns `nothing` if the
/// set has no such position.
Value input_value(const Program& program, const Type& type, double number);

}  // namespace opledger
