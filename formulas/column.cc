#include "formulas/column.h"

namespace opledger {

Value Column::operator[](std::size_t element) const {
  if (!values_.empty()) return values_[element];
  Value out = common_;
  out.scalar = numbers_[element];
  return out;
}

std::vector<Value> Column::all() const {
  std::vector<Value> out;
  out.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) out.push_back((*this)[i]);
  return out;
}

bool Column::fits(const Value& value) const {
  if (!values_.empty() || (value.kind != Value::Kind::number && value.kind != Value::Kind::truth)) return false;
  Value other = value;
  other.scalar = common_.scalar;
  return alike(other, common_);
}

void Column::keep_whole() {
  if (!values_.empty()) return;
  values_ = all();
  numbers_.clear();
}

void Column::push_back(const Value& value) {
  if (size() == 0) common_ = value;
  if (fits(value)) return numbers_.push_back(value.scalar);
  keep_whole();
  values_.push_back(value);
}

void Column::set(std::size_t element, const Value& value) {
  if (fits(value)) {
    numbers_[element] = value.scalar;
    return;
  }
  keep_whole();
  values_[element] = value;
}

}  // namespace opledger
