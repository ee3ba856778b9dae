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

/// What a formula can be worth. Numbers carry their unit; everything else is small and copied freely. Records, lists and curves belong to the inputs.
namespace opledger {

using SetId = Id<struct Set>;
using WordId = std::int32_t;  ///< A word of a word set, or an element's position in an element set.

struct Record;
struct Name;

struct Value {
  enum class Kind : std::uint8_t { nothing, number, truth, word, text, record, list, curve };

  Kind kind = Kind::nothing;
  bool any_unit = false;  ///< The literal 0 goes with every unit.
  bool absent = false;    ///< Of a definition whose `when` does not hold: 0, or false where that is asked for.
  SetId set;              ///< Of a word: the set it belongs to; none: decided by what it is compared with.
  Dimension unit;
  WordId word = -1;
  Scalar scalar;                      ///< Of a number or a truth. A symbol of a word: its position in its set; of a record: which of `picks` it is.
  const std::string* text = nullptr;  ///< Of a word or a text: how it is written.
  const Record* record = nullptr;     ///< Of a record or a list.
  const Curve* curve = nullptr;       ///< Its x has the unit `unit`.
  const std::vector<const Record*>* picks = nullptr;       ///< Of a record that a symbol picks from several; `record` is the sample's.
  const std::vector<const Curve*>* curve_picks = nullptr;  ///< Likewise of a curve.
  const Name* input = nullptr;                             ///< Of a field of a record that is an input of its own: that says the value.

  bool is_number() const { return kind == Kind::number; }
};

/// The fields of a record in the order of their document, or the items of a list (then the names are empty).
struct Record {
  std::vector<std::pair<std::string, Value>> fields;
  Span span = {};  ///< Of one that a document has; of what it leaves out, of what lacks it.
  const Value* find(std::string_view name) const;
};

Value number_value(Scalar scalar, Dimension unit = {});
Value truth_value(Scalar scalar);
inline Value truth_value(bool holds) { return truth_value(truth(holds)); }

/// The value where true or false is asked for: what does not occur is false.
inline Value as_truth(const Value& value) { return value.absent ? truth_value(false) : value; }

/// Whether they are written alike, as words and texts are.
inline bool same_text(const Value& a, const Value& b) { return a.text == b.text || (a.text != nullptr && b.text != nullptr && *a.text == *b.text); }

/// Whether they are the same for all candidates of a tape, whatever they are for the sample.
bool alike(const Value& a, const Value& b);

/// `a number in byte/s`, `true or false`, `a word`: for messages.
std::string describe(const Value& value);

/// As a person reads it, by its unit.
std::string human(const Value& value);

/// The same with this many digits after the point; bytes in the largest 1024-unit. -1: as above.
std::string human(const Value& value, int digits);

}  // namespace opledger
