#pragma once
#include <cstddef>
#include <vector>

#include "formulas/value.h"

namespace opledger {

/// Values of a field, by element. Where they differ in their numbers alone, as those of most fields do, only these are kept for each.
class Column {
 public:
  std::size_t size() const { return values_.empty() ? numbers_.size() : values_.size(); }
  Value operator[](std::size_t element) const;
  std::vector<Value> all() const;

  /// Whether values of both differ in their numbers alone.
  bool differs_in_numbers(const Column& other) const;
  const Scalar& number(std::size_t element) const { return numbers_[element]; }
  void set_number(std::size_t element, const Scalar& number) { numbers_[element] = number; }

  void push_back(const Value& value);
  void set(std::size_t element, const Value& value);
  /// Of each value: it may be changed.
  template <class F>
  void each_scalar(F&& f) {
    for (Scalar& number : numbers_) f(number);
    for (Value& value : values_) f(value.scalar);
  }

 private:
  bool fits(const Value& value) const;
  void keep_whole();

  Value common_;  ///< All but their numbers.
  std::vector<Scalar> numbers_;
  std::vector<Value> values_;  ///< Instead, where they differ in more.
};

}  // namespace opledger
