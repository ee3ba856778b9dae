#include "formulas/value.h"

#include <fmt/core.h>

#include <cmath>
#include <iterator>

#include "expr/simplify.h"

namespace opledger {

const Value* Record::find(std::string_view name) const {
  for (const auto& [key, value] : fields) {
    if (key == name) return &value;
  }
  return nullptr;
}

Value number_value(Scalar scalar, Dimension unit) {
  Value v;
  v.kind = Value::Kind::number;
  v.scalar = scalar;
  v.unit = unit;
  return v;
}

Value absent_value() {
  Value zero = number_value(integer(0));
  zero.any_unit = zero.absent = true;
  return zero;
}

Value truth_value(Scalar scalar) {
  Value v;
  v.kind = Value::Kind::truth;
  v.scalar = scalar;
  return v;
}

namespace {

template <class Picks>
bool same_picks(const Picks* a, const Picks* b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

}  // namespace

bool equivalent(const Value& a, const Value& b) {
  // Two symbols are equal only if the tape has one instruction for both. The sample's word or record of a symbol does
  // not matter, because it changes with the candidate.
  if (a.kind != b.kind || a.any_unit != b.any_unit || a.absent != b.absent || !(a.set == b.set) || !(a.unit == b.unit) || a.input != b.input) return false;
  if (!same(a.scalar, b.scalar) || a.scalar.exact != b.scalar.exact) return false;
  if (!same_picks(a.picks, b.picks) || !same_picks(a.curve_picks, b.curve_picks)) return false;
  if (a.kind == Value::Kind::word && !a.scalar.constant()) return true;
  return a.word == b.word && same_text(a, b) && (a.picks != nullptr || a.record == b.record) && (a.curve_picks != nullptr || a.curve == b.curve);
}

/// Returns the kind of a value, and the unit of a number, in words for messages: `expected a word, not a plain number`.
std::string describe(const Value& value) {
  switch (value.kind) {
    case Value::Kind::nothing:
      return "nothing";
    case Value::Kind::number:
      return value.unit.plain() ? "a plain number" : fmt::format("a number in {}", to_string(value.unit));
    case Value::Kind::truth:
      return "true or false";
    case Value::Kind::word:
      return "a word";
    case Value::Kind::text:
      return "text";
    case Value::Kind::record:
      return "a record";
    case Value::Kind::list:
      return "a list";
    case Value::Kind::curve:
      return "a curve";
  }
  return "";
}

namespace {

/// Joins the items of a list. Whole plain numbers are printed without separators between thousands, which would look like
/// separators of items. Texts are separated by blanks, other items by commas.
std::string items_of(const Record& list) {
  std::string out;
  for (const auto& [_, item] : list.fields) {
    const bool plain = item.is_number() && item.unit.plain() && item.scalar.value == std::floor(item.scalar.value);
    out += (out.empty() ? "" : item.kind == Value::Kind::text ? " " : ", ") + (plain ? exact(item.scalar.value) : human(item));
  }
  return out;
}

}  // namespace

std::string human(const Value& value, int digits) {
  if (digits < 0 || !value.is_number()) return human(value);
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  const Dimension byte{{1, 0, 0, 0}};
  if (!(value.unit == byte)) return fmt::format("{:.{}f}{}", value.scalar.value, digits, value.unit.plain() ? "" : " " + to_string(value.unit));
  double scaled = value.scalar.value;
  std::size_t unit = 0;
  for (; scaled >= 1024 && unit + 1 < std::size(kUnits); ++unit) scaled /= 1024;
  return fmt::format("{:.{}f} {}", scaled, digits, kUnits[unit]);
}

std::string human(const Value& value) {
  switch (value.kind) {
    case Value::Kind::number:
      return human(value.scalar.value, value.unit);
    case Value::Kind::truth:
      return value.scalar.value != 0 ? "true" : "false";
    case Value::Kind::word:
    case Value::Kind::text:
      return value.text != nullptr ? *value.text : "";
    case Value::Kind::list:
      return value.record != nullptr ? "[" + items_of(*value.record) + "]" : describe(value);
    default:
      return describe(value);
  }
}

}  // namespace opledger
