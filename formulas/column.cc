#include "formulas/column.h"

namespace opledger {
namespace {

constexpr std::size_t kUsualElements = 16;  // Initial capacity of a column.

bool same_but_number_and_text(const Value& a, const Value& b) {
  return a.kind == b.kind && a.any_unit == b.any_unit && a.absent == b.absent && a.set == b.set && a.unit == b.unit && a.word == b.word &&
         a.record == b.record && a.curve == b.curve && a.picks == b.picks && a.curve_picks == b.curve_picks && a.input == b.input;
}

bool same_but_number(const Value& a, const Value& b) { return a.text == b.text && same_but_number_and_text(a, b); }

}  // namespace

Value Column::operator[](std::size_t element) const {
  if (!values_.empty()) return values_[element];
  Value out = common_;
  if (texts_.empty())
    out.scalar = numbers_[element];
  else
    out.text = texts_[element];
  return out;
}

std::vector<Value> Column::all() const {
  std::vector<Value> out;
  out.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) out.push_back((*this)[i]);
  return out;
}

bool Column::differs_in_numbers(const Column& other) const { return !numbers_.empty() && !other.numbers_.empty() && same_but_number(common_, other.common_); }

bool Column::fits(const Value& value) const {
  return values_.empty() && texts_.empty() && (value.kind == Value::Kind::number || value.kind == Value::Kind::truth) && same_but_number(value, common_);
}

bool Column::fits_text(const Value& value) const {
  return values_.empty() && numbers_.empty() && value.kind == Value::Kind::text && value.scalar == common_.scalar && same_but_number_and_text(value, common_);
}

void Column::keep_whole() {
  if (!values_.empty()) return;
  values_ = all();
  numbers_.clear();
  texts_.clear();
}

void Column::push_back(const Value& value) {
  if (size() == 0) {
    common_ = value;
    if (value.kind != Value::Kind::text) numbers_.reserve(kUsualElements);
  }
  if (fits(value)) return numbers_.push_back(value.scalar);
  if (fits_text(value)) return texts_.push_back(value.text);
  keep_whole();
  values_.push_back(value);
}

void Column::set(std::size_t element, const Value& value) {
  if (fits(value)) {
    numbers_[element] = value.scalar;
    return;
  }
  if (fits_text(value)) {
    texts_[element] = value.text;
    return;
  }
  keep_whole();
  values_[element] = value;
}

}  // namespace opledger
