#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/id.h"
#include "base/lists.h"
#include "base/units.h"
#include "expr/tape.h"

/// Values of formulas. A number carries its unit. Values are small and copied freely; records, lists, curves and texts
/// belong to the program or the evaluator that created them.
namespace opledger {

using SetId = Id<struct Set>;
using WordId = std::int32_t;  ///< Position of a word in a word set, or of an element in an element set; negative: none.

struct Record;
struct Name;

/// A value of a formula. In a search, a value may be symbolic: it differs between candidates, and a symbol of the tape
/// is in `scalar`. The other fields then have the value for the sample candidate.
struct Value {
  enum class Kind : std::uint8_t {
    nothing,  ///< no value: after an error, or `null`
    number,   ///< `scalar` in base units of `unit`
    truth,    ///< `scalar` is 0 or 1
    word,     ///< a word or element of `set`
    text,     ///< `text`
    record,   ///< `record`, fields with names
    list,     ///< `record`, items without names
    curve,    ///< `curve`, a function of numbers
  };

  Kind kind = Kind::nothing;
  bool any_unit = false;  ///< The number is compatible with every unit, as the literal 0, an absent value and an empty sum are.
  bool absent = false;    ///< A definition's `when` does not hold, or a run lacks the element: 0 as a number, false as a truth.
  SetId set;              ///< Word: its set; none: the comparison decides the set.
  Dimension unit;         ///< Number: its unit. Curve: the unit of its argument.
  WordId word = -1;       ///< Word: its position in the set, or the number of the element; negative: unknown.
  /// Number or truth: the value. A symbolic word has its position in its set here. A symbolic record has its position
  /// in `picks`, a symbolic curve in `curve_picks`.
  Scalar scalar;
  const std::string* text = nullptr;                       ///< Word or text: its spelling.
  const Record* record = nullptr;                          ///< Record or list: its content.
  const Curve* curve = nullptr;                            ///< Curve: the function; its argument has the unit `unit`.
  const std::vector<const Record*>* picks = nullptr;       ///< Symbolic record: the alternatives; `record` is the sample's.
  const std::vector<const Curve*>* curve_picks = nullptr;  ///< Symbolic curve: the alternatives; `curve` is the sample's.
  const Name* input = nullptr;                             ///< Record field with an input of its own: the input, which provides the value.

  bool is_number() const { return kind == Kind::number; }
};

/// The fields of a record in the order of their document, or the items of a list with empty names.
struct Record {
  std::vector<std::pair<std::string, Value>> fields;
  Span span = {};  ///< Source position; for a defaulted record, the position of the enclosing record.
  /// Returns the field of this name, or null.
  const Value* find(std::string_view name) const;
};

/// Returns a number in base units of `unit`; plain by default.
Value number_value(Scalar scalar, Dimension unit = {});
/// Returns a truth; `scalar` is 0, 1 or a symbol.
Value truth_value(Scalar scalar);
inline Value truth_value(bool holds) { return truth_value(truth(holds)); }

/// Returns the absent value: of a definition whose `when` does not hold, or at an element that the run lacks.
Value absent_value();

/// Returns the value for a context that needs true or false: an absent value becomes false.
inline Value as_truth(const Value& value) { return value.absent ? truth_value(false) : value; }

/// Returns whether two words or texts have the same spelling, or both have none.
inline bool same_text(const Value& a, const Value& b) { return a.text == b.text || (a.text != nullptr && b.text != nullptr && *a.text == *b.text); }

/// Returns whether two values are certainly equal for all candidates of a tape, not only for the sample. Two symbols count
/// as equal only if they are one instruction.
bool equivalent(const Value& a, const Value& b);

/// Returns a description of the value's kind for messages: `a number in byte/s`, `true or false`, `a word`.
std::string describe(const Value& value);

/// Returns the value as text for readers; a number is scaled by its unit (`45.6 GiB`).
std::string human(const Value& value);

/// Returns a number as text with `digits` digits after the point; bytes are in the largest fitting 1024-based unit.
/// Other values, and -1 digits, give `human(value)`.
std::string human(const Value& value, int digits);

}  // namespace opledger
