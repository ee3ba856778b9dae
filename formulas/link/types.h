#pragma once
#include <map>
#include <set>
#include <string>

#include "formulas/link/linker.h"

/// Declared types of inputs, and structured inputs (records, lists, curves) read as values.
namespace opledger {

/// `integer`, `number`, `boolean`, `text`, a unit, a list of words (which becomes a set of the field's name), a record, or one of
/// `{type: T, min:, max:, default:, doc:}`, `{list: T}`, `{per: SET, of: T}`, `{steps: UNIT}`, `{points: COUNT}`, `{tuple: {…}}`.
std::optional<Type> parse_type(Program& program, Linker& linker, const std::string& name, const Datum& datum, Diagnostics& diagnostics);

/// Reports unknown keys of a declaration `{type: …, default: …}`. Returns false if there are any.
bool check_type_keys(const Datum& datum, Diagnostics& diagnostics);

/// Fields of a document, by their paths (`system.networks[0].bandwidth`), that have other values than it says.
struct FieldsApart {
  Program& program;                                        ///< That gets the inputs.
  std::map<std::string, const Datum*, std::less<>> given;  ///< This instead.
  std::set<std::string, std::less<>> open;                 ///< What becomes an input of its own, with the document's value unless it gets another.
  std::set<std::string, std::less<>> met;                  ///< All that there are, once it was read.
};

/// A record, list, curve or constant as its type says, in base units; `path` names it in messages.
std::optional<Value> read_value(const Program& program, Linker& linker, const Type& type, const Datum& datum, const std::string& path, Diagnostics& diagnostics,
                                FieldsApart* apart = nullptr);

/// Whether values of the type are computed by a formula (numbers, truths) or chosen (words), rather than read as a whole.
bool scalar_type(const Type& type);

/// `a whole number`, `one of a, b, c`: for messages.
std::string describe(const Program& program, const Type& type);

/// What a number of a candidate means as an input of the type: in base units; 0 or 1; the position of a word. Nothing: it means none.
Value input_value(const Program& program, const Type& type, double number);

}  // namespace opledger
